/*toml
extends = "add_s8s8_flat_16.inc"
summary = "output = a + b, each scaled to the output's scale and rounded as TVM does, clamped"
[args]
multipliers = { layout = "a_b" }
shifts      = { layout = "a_b", range = [-31, 8] }
*/

// The sum as TVM's qnn.add forms it; points holds the zero points of a, b and the output, and the lowest and highest
// value of the output:
//
//     x = (a - zero_a) * multiplier_a * 2^shift_a / 2^31      rounded once, ties upward; y from b likewise
//     output = x + y + zero                                   held to [lowest, highest]
//
// TVM's UPWARD, which is ruy's rounding too: (d * m + 2^(30-s)) >> (31-s). shll by 16 makes d << 16, sqdmulh cuts d * m
// * 2^16 off to a multiple of 2^31, and a rounding shift to the right by 16 - s, at least 8, rounds it: what was cut
// off cannot change that. A scale of 1, 2^30 and 1, rounds nothing, as TVM has it. The sums stay below 2 * 255 * 2^8.
// In place is allowed: output may be a or b.
//
// Cost of the hot loop, per 16 elements: 2 loads, 4 for the differences, 8 to widen them, 16 to scale them, 4 to add
// them, 10 to narrow, add the zero point and clamp, 1 store, 2 for the loop = 47 instructions, 2.938 per element. The
// floor is 45: all but the loop's.

#include "add_s8s8_flat_16.inc"

multiplier_a .req v21
right_a      .req v23       // shifts to the right, as numbers below 0
right_b      .req v24

// x0-x3 (16 x int32) = the differences in d0, d1 (8 x int16 each), scaled
.macro scale_16 x0, x1, x2, x3, d0, d1, m, r
    shll    \x0\().4s, \d0\().4h, #16
    shll2   \x1\().4s, \d0\().8h, #16
    shll    \x2\().4s, \d1\().4h, #16
    shll2   \x3\().4s, \d1\().8h, #16
    sqdmulh \x0\().4s, \x0\().4s, \m\().4s
    sqdmulh \x1\().4s, \x1\().4s, \m\().4s
    sqdmulh \x2\().4s, \x2\().4s, \m\().4s
    sqdmulh \x3\().4s, \x3\().4s, \m\().4s
    srshl   \x0\().4s, \x0\().4s, \r\().4s
    srshl   \x1\().4s, \x1\().4s, \r\().4s
    srshl   \x2\().4s, \x2\().4s, \r\().4s
    srshl   \x3\().4s, \x3\().4s, \r\().4s
.endm

// v0 (16 x int8) = the output from v0 of a and v1 of b
.macro body
    differences
    scale_16 v0, v1, v6, v7, v2, v3, multiplier_a, right_a
    scale_16 v26, v27, v28, v29, v4, v5, multiplier_b, right_b
    sqadd   v0.4s, v0.4s, v26.4s
    sqadd   v1.4s, v1.4s, v27.4s
    sqadd   v6.4s, v6.4s, v28.4s
    sqadd   v7.4s, v7.4s, v29.4s
    narrow_16 v0, v1, v6, v7
.endm

function add_s8s8_flat_16_tvm
    load_points
    ld2r    {v21.4s, v22.4s}, [multipliers]
    ld2r    {v23.4s, v24.4s}, [shifts]
    movi    v0.4s, #16
    sub     right_a.4s, right_a.4s, v0.4s
    sub     right_b.4s, right_b.4s, v0.4s
    flat_bytes_of_two
    ret
end_function add_s8s8_flat_16_tvm
