/*toml
summary   = "output = input, held to [lowest, highest]"
prototype = "void (const int8_t *input, int8_t *output, size_t count, const int8_t *limits)"
isa       = ["armv7-a", "neon"]
stack     = 0
[args]
input  = { reg = "r0", read = "count", layout = "flat", dtype = "int8" }
output = { reg = "r1", write = "count", layout = "flat", dtype = "int8" }
count  = { reg = "r2", range = [0, 1073741824] }
limits = { reg = "r3", read = "2", layout = "lowest_highest", dtype = "int8" }
*/

// relu6 and any other fused activation is this, with its bounds as numbers of the tensor. In place is allowed: output
// may be input.
//
// Registers: q0-q3 the numbers, q8 the lowest, q9 the highest value.
//
// Cost of the hot loop, per 64 elements: 2 loads, 8 to clip, 2 stores, 2 for the loop = 14 instructions, 0.219 per
// element. The floor is 12: all but the loop's.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

limits       .req r3

#include "../include/flat_64_bytes.inc"

// x = x held to [lowest, highest]
.macro body x
    vmax.s8 \x, \x, q8
    vmin.s8 \x, \x, q9
.endm

function clip_s8s8_flat_64
    vld2.8  {d16[], d18[]}, [limits]
    vmov    d17, d16
    vmov    d19, d18
    flat_64_bytes
    bx      lr
end_function clip_s8s8_flat_64
