/*toml
summary   = "output = input * inverse, rounded to the nearest, ties away from zero, as ncnn; + zero point, clamped"
prototype = "void (const float *input, int8_t *output, size_t count, const float *inverse, const int16_t *range)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
input   = { reg = "x0", read = "4*count", layout = "flat", dtype = "float32", range = [-1e30, 1e30] }
output  = { reg = "x1", write = "count", layout = "flat", dtype = "int8" }
count   = { reg = "x2", range = [0, 1073741824] }
inverse = { reg = "x3", read = "4", dtype = "float32", range = [1e-9, 1e7] }
range   = { reg = "x4", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
*/

// The output: input * inverse, rounded, + zero point, held to [lowest, highest]; inverse is 1 / scale, range holds the
// other three (ncnn: 0, -127, 127; before 2020 0, -128, 127).
//
// float32, one product, which rounds; fcvtas rounds it to the nearest integer, ties away from zero, as ncnn's
// float2int8 and TFLite do. What does not fit saturates on the way, infinities too.
//
// Cost of the hot loop, per 16 elements: 1 load, 4 to scale, 4 to round, 10 to narrow, add the zero point
// and clamp, 1 store, 2 for the loop = 22 instructions, 1.375 per element. The floor is 20: all but the loop's.

    .arch armv8-a
    .text

input        .req x0
output       .req x1
count        .req x2        // left, counts down
inverse      .req x3
range        .req x4
at           .req x5

scale        .req v4
zero         .req v5        // for the output
lowest       .req v6
highest      .req v7

#include "../include/function.inc"
#include "quantize_flat.inc"

.macro round x
    fcvtas  \x, \x
.endm

function quantize_f32s8_flat_16_ncnn
    quantize_flat
    ret
end_function quantize_f32s8_flat_16_ncnn
