/*toml
extends   = "requantize_rows_1x8.inc"
summary   = "output = (input * scale_in + bias) * scale_out in float32, rounded to the nearest, ties away from zero, as in ncnn; + zero point, clamped"
prototype = "void (const int32_t *input, int8_t *output, size_t rows, size_t cols, ptrdiff_t input_pitch, ptrdiff_t output_pitch, const float *scales_in, const float *bias, const float *scales_out, const int16_t *range)"
stack     = 96
[args]
scales_in  = { reg = "stack+8", read = "4*4*((cols+3)//4)", dtype = "float32", range = [1e-9, 256.0] }
bias       = { reg = "stack+12", dtype = "float32", range = [-1000000.0, 1000000.0] }
scales_out = { reg = "stack+16", read = "4*4*((cols+3)//4)", dtype = "float32", range = [1e-9, 256.0] }
range      = { range = [-128, 127] }
*/

// The output is (input * scale_in + bias) * scale_out; ncnn's range is 0, -127, 127.
//
// The scheme is that of ncnn's requantize: float32, a product and a sum that round apart, so no vmla. ARMv7 has no
// vcvta, which rounds ties away from zero: it cuts off. So the number below 0.5, with the sign of x, is added before.
// With 0.5 itself the number below 0.5 would come out as 1; with the number below, x + that rounds up to the next
// integer for a tie and for nothing less, up to 2^23, from where there is nothing to round. What does not fit
// saturates.
//
// Registers: q0, q1 the sums, q2, q3 free while they are scaled, q4 and q5 the output's range, q6 the sign bits, q7 the
// number below 0.5; of the 8 columns q8, q9 the first scales, q10, q11 the bias, q12, q13 the second scales.
//
// Cost of the hot loop, per 1 row x 8 columns = 8 elements: 1 load, 8 to scale and add the bias, 8 to round, 6 to
// narrow, add the zero point and clamp, 1 store, 2 for the loop = 26 instructions, 3.250 per element. The floor is 24:
// all but the loop's.

#include "requantize_rows_1x8.inc"

scales_in    .req r6
bias         .req r7
scales_out   .req r8

#include "../include/narrow.inc"

.macro load_columns n
    load_each \n, scales_in, d16, d17, d18, d19
    load_each \n, bias, d20, d21, d22, d23
    load_each \n, scales_out, d24, d25, d26, d27
    vmov.i32 q6, #0x80000000
    vmvn.i32 q7, #0xC1000000                        // 0x3EFFFFFF
.endm

// x = (x * scale_in + bias) * scale_out, rounded
.macro scale n
    each_alone \n, vcvt.f32.s32, q0, q1
    each    \n, vmul.f32, q0, q1, q8, q9
    each    \n, vadd.f32, q0, q1, q10, q11
    each    \n, vmul.f32, q0, q1, q12, q13
    vand    q2, q0, q6
  .if \n == 8
    vand    q3, q1, q6
  .endif
    each    \n, vorr, q2, q3, q7, q7
    each    \n, vadd.f32, q0, q1, q2, q3
    each_alone \n, vcvt.s32.f32, q0, q1
.endm

function requantize_s32s8_rows_1x8_ncnn
    enter   d15, 96
    ldr     scales_in, [sp, #104]
    ldr     bias, [sp, #108]
    ldr     scales_out, [sp, #112]
    ldr     range, [sp, #116]
    requantize_rows
    leave   d15
end_function requantize_s32s8_rows_1x8_ncnn
