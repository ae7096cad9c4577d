/*toml
extends = "add_s8s8_flat_16.inc"
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
// Differences have 9 bits; shifted by 4 they fit int16, shll by 16 brings b's to 20, and sqdmlal by 2^14 adds a's: 2 *
// 16 * 2^14 = 2^19. A sum of two stays below 2 * 255 * 2^20 < 2^31. Dividing: srshl rounds ties upward, so a negative
// number is lowered by 1 first. In place is allowed: output may be a or b.
//
// Cost of the hot loop, per 16 elements: 2 loads, 4 for the differences, 4 to shift them, 4 to widen b's, 16 to scale
// them, 4 to add a's, 16 to scale the sums, 10 to narrow, add the zero point and clamp, 1 store, 2 for the loop = 63
// instructions, 3.938 per element. The floor is 61: all but the loop's.

#include "../include/gemmlowp_step.inc"
#include "add_s8s8_flat_16.inc"

unit         .req v21       // 2^14 in 16 bits
right_b      .req v23       // shifts to the right, as numbers below 0
multiplier   .req v24
right        .req v25

// v0 (16 x int8) = the output from v0 of a and v1 of b
.macro body
    differences
    shl     v2.8h, v2.8h, #4
    shl     v3.8h, v3.8h, #4
    shl     v4.8h, v4.8h, #4
    shl     v5.8h, v5.8h, #4
    shll    v0.4s, v4.4h, #16
    shll2   v1.4s, v4.8h, #16
    shll    v6.4s, v5.4h, #16
    shll2   v7.4s, v5.8h, #16
    gemmlowp_step v0, multiplier_b, right_b, v26
    gemmlowp_step v1, multiplier_b, right_b, v27
    gemmlowp_step v6, multiplier_b, right_b, v28
    gemmlowp_step v7, multiplier_b, right_b, v29
    sqdmlal v0.4s, v2.4h, unit.4h
    sqdmlal2 v1.4s, v2.8h, unit.8h
    sqdmlal v6.4s, v3.4h, unit.4h
    sqdmlal2 v7.4s, v3.8h, unit.8h
    gemmlowp_step v0, multiplier, right, v26
    gemmlowp_step v1, multiplier, right, v27
    gemmlowp_step v6, multiplier, right, v28
    gemmlowp_step v7, multiplier, right, v29
    narrow_16 v0, v1, v6, v7
.endm

function add_s8s8_flat_16_gemmlowp
    load_points
    movi    unit.8h, #0x40, lsl #8
    ld2r    {v22.4s, v23.4s}, [multipliers]
    mov     multiplier.16b, v23.16b
    ld2r    {v26.4s, v27.4s}, [shifts]
    mov     right_b.16b, v26.16b
    mov     right.16b, v27.16b
    flat_bytes_of_two
    ret
end_function add_s8s8_flat_16_gemmlowp
