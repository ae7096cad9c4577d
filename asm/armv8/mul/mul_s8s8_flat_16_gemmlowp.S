/*toml
extends = "mul_s8s8_flat_16.inc"
summary = "output = (a - zero_a) * (b - zero_b), scaled and rounded twice as TFLite does, clamped"
*/

// points holds the zero points of a, b and the output, and the lowest and highest value of the output:
//
//     output = (a - zero_a) * (b - zero_b) * multiplier * 2^shift / 2^31 + zero       held to [lowest, highest]
//
// Rounded twice, as in gemmlowp: the high half of the doubled product, ties upward, and a division by 2^right, ties
// away from zero. srshl rounds ties upward, so a negative number is lowered by 1 first. A shift to the left is done to
// b's difference: 9 bits and 7 fit int16, the product is below 2^23. In place is allowed: output may be a or b.
//
// Cost of the hot loop, per 16 elements: 2 loads, 4 for the differences, 2 to shift b's, 4 to multiply, 16 to scale, 10
// to narrow, add the zero point and clamp, 1 store, 2 for the loop = 41 instructions, 2.562 per element. The floor is
// 39: all but the loop's.

#include "../include/gemmlowp_step.inc"
#include "mul_s8s8_flat_16.inc"

multipliers  .req x5
shift        .req x6
left_b       .req v21       // shift to the left, in 16 bits
multiplier   .req v22
right        .req v23       // shift to the right, as a number below 0

// v0 (16 x int8) = the output from v0 of a and v1 of b
.macro body
    differences
    sshl    v4.8h, v4.8h, left_b.8h
    sshl    v5.8h, v5.8h, left_b.8h
    smull   v0.4s, v2.4h, v4.4h
    smull2  v1.4s, v2.8h, v4.8h
    smull   v6.4s, v3.4h, v5.4h
    smull2  v7.4s, v3.8h, v5.8h
    gemmlowp_step v0, multiplier, right, v24
    gemmlowp_step v1, multiplier, right, v25
    gemmlowp_step v6, multiplier, right, v26
    gemmlowp_step v7, multiplier, right, v27
    narrow_16 v0, v1, v6, v7
.endm

function mul_s8s8_flat_16_gemmlowp
    load_points
    ld1r    {multiplier.4s}, [multipliers]
    ld1r    {v0.4s}, [shift]
    movi    v1.4s, #0
    smin    right.4s, v0.4s, v1.4s
    smax    v0.4s, v0.4s, v1.4s
    dup     left_b.8h, v0.h[0]
    flat_bytes_of_two
    ret
end_function mul_s8s8_flat_16_gemmlowp
