/*toml
extends = "quantize_f32s8_flat_16.inc"
summary = "output = input * inverse, rounded to the nearest, ties away from zero, as ncnn; + zero point, clamped"
*/

// The output: input * inverse, rounded, + zero point, held to [lowest, highest]; inverse is 1 / scale, range holds the
// other three (ncnn: 0, -127, 127; before 2020 0, -128, 127).
//
// float32, one product, which rounds; then to the nearest integer, ties away from zero, as ncnn's float2int8 and TFLite
// do. ARMv7 has no vcvta, which rounds so: it cuts off. So the number below 0.5, with the sign of x, is added before.
// With 0.5 itself the number below 0.5 would come out as 1; with the number below, x + that rounds up to the next
// integer for a tie and for nothing less, up to 2^23, from where there is nothing to round. What does not fit
// saturates, infinities too.
//
// Registers: q0-q3 the numbers, q4 and q5 the output's range, q6 the sign bits, q7 the number below 0.5, q8 the scale,
// q9-q12 free, q13 and q14 the lowest and the highest value.
//
// Cost of the hot loop, per 16 elements: 2 loads, 4 to scale, 16 to round, 10 to narrow, add the zero
// point and clamp, 1 store, 2 for the loop = 35 instructions, 2.188 per element. The floor is 33: all but the loop's.

#define KERNEL quantize_f32s8_flat_16_ncnn
#include "../include/narrow.inc"

.macro load_constants
    load_output_range
    vmov.i32 q6, #0x80000000
    vmvn.i32 q7, #0xC1000000                        // 0x3EFFFFFF
    vld1.32 {d16[], d17[]}, [inverse]
    spread_output_range
.endm

// d0, d1 (16 x int8) = q0-q3 * scale, rounded, in the output's range
.macro quantize_16
    vmul.f32 q0, q0, q8
    vmul.f32 q1, q1, q8
    vmul.f32 q2, q2, q8
    vmul.f32 q3, q3, q8
    vand    q9, q0, q6
    vand    q10, q1, q6
    vand    q11, q2, q6
    vand    q12, q3, q6
    vorr    q9, q9, q7
    vorr    q10, q10, q7
    vorr    q11, q11, q7
    vorr    q12, q12, q7
    vadd.f32 q0, q0, q9
    vadd.f32 q1, q1, q10
    vadd.f32 q2, q2, q11
    vadd.f32 q3, q3, q12
    vcvt.s32.f32 q0, q0
    vcvt.s32.f32 q1, q1
    vcvt.s32.f32 q2, q2
    vcvt.s32.f32 q3, q3
    narrow_16
.endm

// d0 (4 x int8) = q0 likewise
.macro quantize_4
    vmul.f32 q0, q0, q8
    vand    q9, q0, q6
    vorr    q9, q9, q7
    vadd.f32 q0, q0, q9
    vcvt.s32.f32 q0, q0
    narrow  4
.endm

#include "quantize_f32s8_flat_16.inc"
