/*toml
extends   = "requantize_rows_1x16.inc"
summary   = "output = (input + bias) * scale in float32, rounded to the nearest, ties to even, as in QNNPACK and ONNX Runtime; + zero point, clamped"
prototype = "void (const int32_t *input, int8_t *output, size_t rows, size_t cols, ptrdiff_t input_pitch, ptrdiff_t output_pitch, const int32_t *bias, const float *scales, const int16_t *range)"
[args]
scales = { reg = "x7", read = "4*4*((cols+3)//4)", dtype = "float32", range = [1e-9, 256.0] }
range  = { reg = "stack+0", range = [-128, 127] }
*/

// The scheme is QNNPACK's fp32, whose magic number, 1.5 * 2^23, gives the same results, XNNPACK's, and ONNX Runtime's:
// sums to float32, which rounds those beyond 2^24, times scale, which rounds, to the nearest integer, ties to even.
// fcvtns does that; with the magic number it would take two more instructions, as it needs products that are held to
// 2^22 first.
//
// input + bias is safe: 2^30 + 2^29 < 2^31.
//
// Cost of the hot loop, per 1 row x 16 columns = 16 elements: 1 load, 4 to add the bias, 12 to scale, 10 to narrow, add
// the zero point and clamp, 1 store, 2 for the loop = 30 instructions, 1.875 per element. The floor is 28: all but the
// loop's.

#include "requantize_rows_1x16.inc"

bias         .req x6
scales       .req x7
bias0        .req v16       // of the 16 columns
bias1        .req v17
bias2        .req v18
bias3        .req v19
scale0       .req v20       // of the 16 columns
scale1       .req v21
scale2       .req v22
scale3       .req v23

.macro load_columns n
    load_each \n, bias, bias
    load_each \n, scale, scales
.endm

// x = (x + bias) * scale
.macro scale n
    each    \n, add, bias
    each_alone \n, scvtf
    each    \n, fmul, scale
    each_alone \n, fcvtns
.endm

function requantize_s32s8_rows_1x16_fp32
    ldr     range, [sp, #0]
    requantize_rows
    ret
end_function requantize_s32s8_rows_1x16_fp32
