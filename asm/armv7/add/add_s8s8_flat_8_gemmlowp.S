/*toml
extends = "add_s8s8_flat_8.inc"
summary = "output = a + b, each with its scale and zero point, rounded as TFLite does, clamped"
*/

// The sum as TFLite's add forms it, a being the input of the larger scale, or either of two equal ones; points holds
// the zero points of a, b and the output, and the lowest and highest value of the output:
//
//     x = (a - zero_a) << 19
//     y = ((b - zero_b) << 20) * multiplier_b * 2^shift_b / 2^31             rounded twice, as in gemmlowp
//     output = (x + y) * multiplier_output * 2^shift_output / 2^31 + zero    rounded twice, held to [lowest, highest]
//
// TFLite scales both inputs by their scale over twice the larger one. For the larger that is a half, a multiplier of
// 2^30 with no shift: nothing is rounded and a shift by 19 does it. The sum's multiplier is below 1 as long as the
// output's scale is above 2^-19 of the inputs' larger one.
//
// Differences have 9 bits; shifted by 4 they fit int16, vshll by 16 brings b's to 20, and vqdmlal by 2^14 adds a's: 2 *
// 16 * 2^14 = 2^19. A sum of two stays below 2 * 255 * 2^20 < 2^31. Dividing: vrshl rounds ties upward, so a negative
// number is lowered by 1 first. In place is allowed: output may be a or b.
//
// Registers: d4, d5 the inputs, q0, q1 the sums, q4 and q5 the output's range, d12, d13 the zero points of a and b, d14
// the multipliers of b and of the sum, d7 2^14 in 16 bits, q8-q11 free, q12, q13 the shifts to the right of b and of
// the sum, as numbers below 0.
//
// Cost of the hot loop, per 8 elements: 2 loads, 2 for the differences, 2 to shift them, 2 to widen b's, 8 to scale
// them, 2 to add a's, 8 to scale the sums, 6 to narrow, add the zero point and clamp, 1 store, 2 for the loop = 35
// instructions, 4.375 per element. The floor is 33: all but the loop's.

#include "../include/gemmlowp_step.inc"
#include "add_s8s8_flat_8.inc"

// d0 (8 x int8) = the output from d4 of a and d5 of b
.macro body
    differences
    vshl.i16 q8, q8, #4
    vshl.i16 q9, q9, #4
    vshll.i16 q0, d18, #16
    vshll.i16 q1, d19, #16
    gemmlowp_steps q0, q1, d14[0], q12, q10, q11
    vqdmlal.s16 q0, d16, d7[0]
    vqdmlal.s16 q1, d17, d7[0]
    gemmlowp_steps q0, q1, d14[1], q13, q10, q11
    narrow  8
.endm

function add_s8s8_flat_8_gemmlowp
    enter
    vmov.i16 d7, #0x4000
    ldr     at, [sp, #68]
    vld1.32 {d14}, [at]
    ldr     at, [sp, #72]
    vld1.32 {d24}, [at]
    vdup.32 q13, d24[1]
    vdup.32 q12, d24[0]
    flat_bytes_of_two
    restore_vectors_and_return
end_function add_s8s8_flat_8_gemmlowp
