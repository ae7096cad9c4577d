/*toml
extends   = "requantize_rows_1x16.inc"
summary   = "output = (input * scale_in + bias) * scale_out in float32, rounded to the nearest, ties away from zero, as in ncnn; + zero point, clamped"
prototype = "void (const int32_t *input, int8_t *output, size_t rows, size_t cols, ptrdiff_t input_pitch, ptrdiff_t output_pitch, const float *scales_in, const float *bias, const float *scales_out, const int16_t *range)"
[args]
scales_in  = { reg = "x6", read = "4*4*((cols+3)//4)", dtype = "float32", range = [1e-9, 256.0] }
bias       = { reg = "x7", dtype = "float32", range = [-1000000.0, 1000000.0] }
scales_out = { reg = "stack+0", read = "4*4*((cols+3)//4)", dtype = "float32", range = [1e-9, 256.0] }
range      = { range = [-128, 127] }
*/

// The output is (input * scale_in + bias) * scale_out; ncnn's range is 0, -127, 127.
//
// The scheme is that of ncnn's requantize: float32, a product and a sum that round apart, so no fmla; fcvtas rounds to
// the nearest integer, ties away from zero. Infinities and whatever does not fit saturate on the way.
//
// Cost of the hot loop, per 1 row x 16 columns = 16 elements: 1 load, 20 to scale and add the bias, 10 to narrow, add
// the zero point and clamp, 1 store, 2 for the loop = 34 instructions, 2.125 per element. The floor is 32: all but the
// loop's.

#include "requantize_rows_1x16.inc"

scales_in    .req x6
bias         .req x7
scales_out   .req x8
scale_in0    .req v16       // of the 16 columns
scale_in1    .req v17
scale_in2    .req v18
scale_in3    .req v19
bias0        .req v20       // of the 16 columns
bias1        .req v21
bias2        .req v22
bias3        .req v23
scale_out0   .req v24       // of the 16 columns
scale_out1   .req v25
scale_out2   .req v26
scale_out3   .req v27

.macro load_columns n
    load_each \n, scale_in, scales_in
    load_each \n, bias, bias
    load_each \n, scale_out, scales_out
.endm

// x = (x * scale_in + bias) * scale_out
.macro scale n
    each_alone \n, scvtf
    each    \n, fmul, scale_in
    each    \n, fadd, bias
    each    \n, fmul, scale_out
    each_alone \n, fcvtas
.endm

function requantize_s32s8_rows_1x16_ncnn
    ldr     scales_out, [sp, #0]
    ldr     range, [sp, #8]
    requantize_rows
    ret
end_function requantize_s32s8_rows_1x16_ncnn
