/*toml
extends = "quantize_f32s8_flat_16.inc"
summary = "output = input * inverse, rounded to the nearest, ties away from zero, as ncnn; + zero point, clamped"
*/

// The output: input * inverse, rounded, + zero point, held to [lowest, highest]; inverse is 1 / scale, range holds the
// other three (ncnn: 0, -127, 127; before 2020 0, -128, 127).
//
// float32, one product, which rounds; fcvtas rounds it to the nearest integer, ties away from zero, as ncnn's
// float2int8 and TFLite do. What does not fit saturates on the way, infinities too.
//
// Cost of the hot loop, per 16 elements: 1 load, 4 to scale, 4 to round, 10 to narrow, add the zero point
// and clamp, 1 store, 2 for the loop = 22 instructions, 1.375 per element. The floor is 20: all but the loop's.

#define KERNEL quantize_f32s8_flat_16_ncnn

.macro round x
    fcvtas  \x, \x
.endm

#include "quantize_f32s8_flat_16.inc"
