/*toml
extends   = "requantize_rows_1x8.inc"
summary   = "output = (input + bias) * scale in float32, rounded to the nearest, ties to even, as in QNNPACK and ONNX Runtime; + zero point, clamped"
prototype = "void (const int32_t *input, int8_t *output, size_t rows, size_t cols, ptrdiff_t input_pitch, ptrdiff_t output_pitch, const int32_t *bias, const float *scales, const int16_t *range)"
stack     = 96
modular   = ["vmovn.i32", "vmovn.i16", "vadd.i8"]
[args]
scales = { reg = "stack+12", read = "4*4*((cols+3)//4)", dtype = "float32", range = [1e-9, 256.0] }
range  = { reg = "stack+16", range = [-128, 127] }
*/

// The scheme is QNNPACK's fp32, XNNPACK's and ONNX Runtime's: sums to float32, which rounds those beyond 2^24, times
// scale, which rounds, to the nearest integer, ties to even, by QNNPACK's magic number: why its last steps wrap stands in
// include/magic_number.inc.
//
// input + bias is safe: 2^30 + 2^29 < 2^31.
//
// Registers: q0, q1 the sums, q4, q5 the lowest and the highest value less the zero point, as float32, q6 1.5 * 2^23,
// d14 the zero point; of the 8 columns q8, q9 the bias, q10, q11 the scales.
//
// Cost of the hot loop, per 1 row x 8 columns = 8 elements: 1 load, 2 to add the bias, 6 to scale and round, 4 to
// clamp, 4 to narrow and add the zero point, 1 store, 2 for the loop = 20 instructions, 2.500 per element. The floor is
// 18: all but the loop's.

#include "../include/magic_number.inc"
#include "requantize_rows_1x8.inc"

bias         .req r6
scales       .req r7

// q4, q5, q6, d14 from 3 int16 at [range]. q0-q2 are overwritten
.macro load_output_range
    vld3.16 {d0[], d1[], d2[]}, [range]
    load_magic_number d14, q6
.endm

.macro load_columns n
    load_each \n, bias, d16, d17, d18, d19
    load_each \n, scales, d20, d21, d22, d23
.endm

// x = 1.5 * 2^23 + (x + bias) * scale, held to the output's range
.macro scale n
    each    \n, vadd.i32, q0, q1, q8, q9
    each_alone \n, vcvt.f32.s32, q0, q1
    each    \n, vmul.f32, q0, q1, q10, q11
    each    \n, vmax.f32, q0, q1, q4, q4
    each    \n, vmin.f32, q0, q1, q5, q5
    each    \n, vadd.f32, q0, q1, q6, q6
.endm

// d0 (8 x int8) = the lowest bytes of q0, q1 + zero point: 4 instructions; or 4 of them = q0's
.macro narrow n
    vmovn.i32 d0, q0
  .if \n == 8
    vmovn.i32 d1, q1
  .endif
    vmovn.i16 d0, q0
    vadd.i8 d0, d0, d14
.endm

function requantize_s32s8_rows_1x8_fp32
    enter   d15, 96
    ldr     bias, [sp, #104]
    ldr     scales, [sp, #108]
    ldr     range, [sp, #112]
    requantize_rows
    leave   d15
end_function requantize_s32s8_rows_1x8_fp32
