/*toml
summary   = "output = max(input, zero point)"
prototype = "void (const int8_t *input, int8_t *output, size_t count, const int8_t *zero)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
input  = { reg = "x0", read = "count", layout = "flat", dtype = "int8" }
output = { reg = "x1", write = "count", layout = "flat", dtype = "int8" }
count  = { reg = "x2", range = [0, 1073741824] }
zero   = { reg = "x3", read = "1", layout = "zero", dtype = "int8" }
*/

// The zero point stands for 0. In place is allowed: output may be input.
//
// Cost of the hot loop, per 64 elements: 1 load, 4 to compare, 1 store, 2 for the loop = 8 instructions, 0.125 per
// element. The floor is 6: all but the loop's.

    .arch armv8-a
    .text

zero         .req x3

lowest       .req v16

#include "../include/flat_64_bytes.inc"

// x = max(x, zero point)
.macro body x
    smax    \x\().16b, \x\().16b, lowest.16b
.endm

function relu_s8s8_flat_64
    ld1r    {v16.16b}, [zero]
    flat_64_bytes
    ret
end_function relu_s8s8_flat_64
