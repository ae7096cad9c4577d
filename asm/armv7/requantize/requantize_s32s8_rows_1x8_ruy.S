/*toml
extends = "requantize_rows_1x8.inc"
summary = "output = (input + bias) * 2^shift * multiplier / 2^31, rounded once, ties upward, as in ruy; + zero point, clamped"
[args]
range = { range = [-128, 127] }
*/

// The output: (input + bias) times 2^shift * multiplier / 2^31, rounded, + zero point, held to [lowest, highest]; range
// holds these three, the other arrays an element for each column, filled up to a multiple of 4. A zero point of the
// input is the bias's business.
//
// The scheme is ruy's, (x * m + 2^(30-s)) >> (31-s), with one rounding; TFLite's with TFLITE_SINGLE_ROUNDING and TVM's
// UPWARD are the same. No 64-bit product is needed: vqdmulh cuts the product off to (x * m) >> 31, and what it cuts off
// cannot change a rounding shift to the right by at least 1, as ((p >> 31) + 2^(r-1)) >> r = (p + 2^(30+r)) >> (31+r)
// for r >= 1. So s = left - right with right >= 1. Where the shift to the left saturates, the result is at least 2^29
// from 0, and clamped either way.
//
// input + bias is safe: 2^30 + 2^29 < 2^31. What is scaled saturates nowhere but there.
//
// Registers: q0, q1 the sums, q2, q3 free while they are scaled, q4 and q5 the output's range; of the 8 columns q8, q9
// the bias, q10, q11 the multipliers, q12, q13 the shifts to the left, q14, q15 those to the right, as numbers below 0.
//
// Cost of the hot loop, per 1 row x 8 columns = 8 elements: 1 load, 2 to add the bias, 6 to scale, 6 to narrow, add the
// zero point and clamp, 1 store, 2 for the loop = 18 instructions, 2.250 per element. The floor is 16: all but the
// loop's.

#include "requantize_rows_1x8.inc"

bias         .req r6
multipliers  .req r7
shifts       .req r8

#include "../include/narrow.inc"

// at least 1 goes to the right, for vrshl, as a number below 0; what remains goes to the left
.macro load_columns n
    load_each \n, bias, d16, d17, d18, d19
    load_each \n, multipliers, d20, d21, d22, d23
    load_each \n, shifts, d24, d25, d26, d27
    vmvn.i32 q2, #0
    vmin.s32 q14, q12, q2
    vsub.i32 q12, q12, q14
  .if \n == 8
    vmin.s32 q15, q13, q2
    vsub.i32 q13, q13, q15
  .endif
.endm

// x = (x + bias) * 2^(left - right) * multiplier / 2^31
.macro scale n
    each    \n, vadd.i32, q0, q1, q8, q9
    each    \n, vqshl.s32, q0, q1, q12, q13
    each    \n, vqdmulh.s32, q0, q1, q10, q11
    each    \n, vrshl.s32, q0, q1, q14, q15
.endm

function requantize_s32s8_rows_1x8_ruy
    push    {r4-r11}
    vpush   {d8-d11}
    ldr     input_pitch, [sp, #64]
    ldr     output_pitch, [sp, #68]
    ldr     bias, [sp, #72]
    ldr     multipliers, [sp, #76]
    ldr     shifts, [sp, #80]
    ldr     range, [sp, #84]
    requantize_rows
    vpop    {d8-d11}
    pop     {r4-r11}
    bx      lr
end_function requantize_s32s8_rows_1x8_ruy
