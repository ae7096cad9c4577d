/*toml
summary   = "output = (a - zero_a) * (b - zero_b), scaled and rounded twice as TFLite does, clamped"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *output, size_t count, const int16_t *points, const int32_t *multiplier, const int32_t *shift)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
a           = { reg = "x0", read = "count", layout = "flat", dtype = "int8" }
b           = { reg = "x1", read = "count", layout = "flat", dtype = "int8" }
output      = { reg = "x2", write = "count", layout = "flat", dtype = "int8" }
count       = { reg = "x3", range = [0, 1073741824] }
points      = { reg = "x4", read = "10", layout = "zero_a_zero_b_zero_lowest_highest", dtype = "int16", range = [-128, 127] }
multiplier  = { reg = "x5", read = "4", dtype = "int32", range = [1073741824, 2147483647] }
shift       = { reg = "x6", read = "4", dtype = "int32", range = [-31, 7] }
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

    .arch armv8-a
    .text

in_a         .req x0
in_b         .req x1
output       .req x2
left         .req x3        // elements left, counts down
points       .req x4
multipliers  .req x5
shift        .req x6
range        .req x4        // of the output, after the two zero points
at           .req x7

zero_a       .req v16
zero_b       .req v17
zero         .req v18       // of the output
lowest       .req v19
highest      .req v20
left_b       .req v21       // shift to the left, in 16 bits
multiplier   .req v22
right        .req v23       // shift to the right, as a number below 0

#include "../include/function.inc"
#include "../include/narrow.inc"
#include "../include/flat_bytes.inc"

// x = x * multiplier / 2^(31 + right); t is overwritten
.macro scale x, t
    sqrdmulh \x\().4s, \x\().4s, multiplier.4s
    and     \t\().16b, \x\().16b, right.16b      // negative if x is, and there is a shift to the right
    ssra    \x\().4s, \t\().4s, #31
    srshl   \x\().4s, \x\().4s, right.4s
.endm

.macro body
    ssubl   v2.8h, v0.8b, zero_a.8b
    ssubl2  v3.8h, v0.16b, zero_a.16b
    ssubl   v4.8h, v1.8b, zero_b.8b
    ssubl2  v5.8h, v1.16b, zero_b.16b
    sshl    v4.8h, v4.8h, left_b.8h
    sshl    v5.8h, v5.8h, left_b.8h
    smull   v0.4s, v2.4h, v4.4h
    smull2  v1.4s, v2.8h, v4.8h
    smull   v6.4s, v3.4h, v5.4h
    smull2  v7.4s, v3.8h, v5.8h
    scale   v0, v24
    scale   v1, v25
    scale   v6, v26
    scale   v7, v27
    narrow_16 v0, v1, v6, v7
.endm

function mul_s8s8_flat_16_gemmlowp
    ld2r    {v16.8h, v17.8h}, [points], #4
    load_output_range
    dup     zero_a.16b, zero_a.b[0]
    dup     zero_b.16b, zero_b.b[0]
    ld1r    {multiplier.4s}, [multipliers]
    ld1r    {v0.4s}, [shift]
    movi    v1.4s, #0
    smin    right.4s, v0.4s, v1.4s
    smax    v0.4s, v0.4s, v1.4s
    dup     left_b.8h, v0.h[0]
    flat_bytes_of_two
    ret
end_function mul_s8s8_flat_16_gemmlowp
