/*toml
summary   = "output = input, held to [lowest, highest]"
prototype = "void (const int8_t *input, int8_t *output, size_t count, const int8_t *limits)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
input  = { reg = "x0", read = "count", layout = "flat", dtype = "int8" }
output = { reg = "x1", write = "count", layout = "flat", dtype = "int8" }
count  = { reg = "x2", range = [0, 1073741824] }
limits = { reg = "x3", read = "2", layout = "lowest_highest", dtype = "int8" }
*/

// relu6 and any other fused activation is this, with its bounds as numbers of the tensor. In place is allowed: output
// may be input.
//
// Cost of the hot loop, per 64 elements: 1 load, 8 to clip, 1 store, 2 for the loop = 12 instructions, 0.188 per
// element. The floor is 10: all but the loop's.

    .arch armv8-a
    .text

input        .req x0
output       .req x1
left         .req x2        // elements left, counts down
limits       .req x3
at           .req x4

lowest       .req v16
highest      .req v17

#include "../include/function.inc"
#include "../include/parts.inc"

.macro clip x
    smax    \x\().16b, \x\().16b, lowest.16b
    smin    \x\().16b, \x\().16b, highest.16b
.endm

function clip_s8s8_flat_64
    ld2r    {v16.16b, v17.16b}, [limits]
    subs    left, left, #64
    b.lo    2f
1:
    ld1     {v0.16b, v1.16b, v2.16b, v3.16b}, [input], #64
    subs    left, left, #64
    clip    v0
    clip    v1
    clip    v2
    clip    v3
    st1     {v0.16b, v1.16b, v2.16b, v3.16b}, [output], #64
    b.hs    1b
2:
    adds    left, left, #48
    b.mi    4f
3:
    ldr     q0, [input], #16
    subs    left, left, #16
    clip    v0
    str     q0, [output], #16
    b.hs    3b
4:
    ands    left, left, #15
    b.eq    9f
    movi    v0.16b, #0
    load_part_of_16_bytes v0, input
    clip    v0
    store_part_of_16_bytes output, v0
9:
    ret
end_function clip_s8s8_flat_64
