/*toml
extends = "mul_s8s8_flat_8.inc"
summary = "output = (a - zero_a) * (b - zero_b), scaled and rounded twice as TFLite does, clamped"
*/

// points holds the zero points of a, b and the output, and the lowest and highest value of the output:
//
//     output = (a - zero_a) * (b - zero_b) * multiplier * 2^shift / 2^31 + zero       held to [lowest, highest]
//
// Rounded twice, as in gemmlowp: the high half of the doubled product, ties upward, and a division by 2^right, ties
// away from zero. vrshl rounds ties upward, so a negative number is lowered by 1 first. A shift to the left is done to
// b's difference: 9 bits and 7 fit int16, the product is below 2^23. In place is allowed: output may be a or b.
//
// Registers: d4, d5 the inputs, q0, q1 the products, q4 and q5 the output's range, d12, d13 the zero points of a and b,
// d14[0] the multiplier, q8, q9 the differences, q10, q11 free, q12 the shift to the right as a number below 0, q13
// that to the left, in 16 bits.
//
// Cost of the hot loop, per 8 elements: 2 loads, 2 for the differences, 1 to shift b's, 2 to multiply, 8 to scale, 6 to
// narrow, add the zero point and clamp, 1 store, 2 for the loop = 24 instructions, 3.000 per element. The floor is 22:
// all but the loop's.

#include "../include/gemmlowp_step.inc"
#include "../include/narrow.inc"
#include "mul_s8s8_flat_8.inc"

// d0 (8 x int8) = the output from d4 of a and d5 of b
.macro body
    differences
    vshl.s16 q9, q9, q13
    vmull.s16 q0, d16, d18
    vmull.s16 q1, d17, d19
    gemmlowp_steps q0, q1, d14[0], q12, q10, q11
    narrow  8
.endm

function mul_s8s8_flat_8_gemmlowp
    enter
    ldr     at, [sp, #68]
    vld1.32 {d14[]}, [at]
    ldr     at, [sp, #72]
    vld1.32 {d0[], d1[]}, [at]
    vmov.i32 q1, #0
    vmin.s32 q12, q0, q1
    vmax.s32 q0, q0, q1
    vdup.16 q13, d0[0]
    flat_bytes_of_two
    restore_vectors_and_return
end_function mul_s8s8_flat_8_gemmlowp
