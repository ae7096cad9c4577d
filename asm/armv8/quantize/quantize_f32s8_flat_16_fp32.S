/*toml
extends = "quantize_f32s8_flat_16.inc"
summary = "output = input * inverse, rounded to the nearest, ties to even, as QNNPACK and ONNX Runtime; + zero point, clamped"
*/

// The output: input * inverse, rounded, + zero point, held to [lowest, highest]; inverse is 1 / scale, range holds the
// other three.
//
// float32, one product, which rounds; fcvtns rounds it to the nearest integer, ties to even, as QNNPACK, PyTorch and
// ONNX Runtime do. What does not fit saturates on the way, infinities too.
//
// Cost of the hot loop, per 16 elements: 1 load, 4 to scale, 4 to round, 10 to narrow, add the zero point
// and clamp, 1 store, 2 for the loop = 22 instructions, 1.375 per element. The floor is 20: all but the loop's.

#define KERNEL quantize_f32s8_flat_16_fp32

.macro round x
    fcvtns  \x, \x
.endm

#include "quantize_f32s8_flat_16.inc"
