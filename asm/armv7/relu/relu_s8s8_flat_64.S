/*toml
summary   = "output = max(input, zero point)"
prototype = "void (const int8_t *input, int8_t *output, size_t count, const int8_t *zero)"
isa       = ["armv7-a", "neon"]
stack     = 0
[args]
input  = { reg = "r0", read = "count", layout = "flat", dtype = "int8" }
output = { reg = "r1", write = "count", layout = "flat", dtype = "int8" }
count  = { reg = "r2", range = [0, 1073741824] }
zero   = { reg = "r3", read = "1", layout = "zero", dtype = "int8" }
*/

// The zero point stands for 0. In place is allowed: output may be input.
//
// Registers: q0-q3 the numbers, q8 the lowest value.
//
// Cost of the hot loop, per 64 elements: 2 loads, 4 to compare, 2 stores, 2 for the loop = 10 instructions, 0.156 per
// element. The floor is 8: all but the loop's.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

zero         .req r3

#include "../include/flat_64_bytes.inc"

// x = max(x, zero point)
.macro body x
    vmax.s8 \x, \x, q8
.endm

function relu_s8s8_flat_64
    vld1.8  {d16[], d17[]}, [zero]
    flat_64_bytes
    bx      lr
end_function relu_s8s8_flat_64
