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

input        .req r0
output       .req r1
left         .req r2        // elements left, counts down
zero         .req r3
at           .req r12

#include "../include/function.inc"
#include "../include/parts.inc"

.macro relu x
    vmax.s8 \x, \x, q8
.endm

function relu_s8s8_flat_64
    vld1.8  {d16[], d17[]}, [zero]
    subs    left, left, #64
    blo     2f
1:
    vld1.8  {d0, d1, d2, d3}, [input]!
    vld1.8  {d4, d5, d6, d7}, [input]!
    subs    left, left, #64
    relu    q0
    relu    q1
    relu    q2
    relu    q3
    vst1.8  {d0, d1, d2, d3}, [output]!
    vst1.8  {d4, d5, d6, d7}, [output]!
    bhs     1b
2:
    vmov.i8 q0, #0
    adds    left, left, #56
    bmi     4f
3:
    vld1.8  {d0}, [input]!
    subs    left, left, #8
    relu    q0
    vst1.8  {d0}, [output]!
    bhs     3b
4:
    ands    left, left, #7
    beq     9f
    load_part_of_8_bytes d0, input
    relu    q0
    store_part_of_8_bytes output, d0
9:
    bx      lr
end_function relu_s8s8_flat_64
