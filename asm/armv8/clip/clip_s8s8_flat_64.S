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

limits       .req x3

lowest       .req v16
highest      .req v17

#include "../include/flat_64_bytes.inc"

// x = x held to [lowest, highest]
.macro body x
    smax    \x\().16b, \x\().16b, lowest.16b
    smin    \x\().16b, \x\().16b, highest.16b
.endm

function clip_s8s8_flat_64
    ld2r    {v16.16b, v17.16b}, [limits]
    flat_64_bytes
    ret
end_function clip_s8s8_flat_64
