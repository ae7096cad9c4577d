/*toml
summary   = "extremes = the lowest and the highest of input"
prototype = "void (const float *input, float *extremes, size_t count)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
input    = { reg = "x0", read = "4*count", layout = "flat", dtype = "float32", range = [-1e30, 1e30] }
extremes = { reg = "x1", write = "8", layout = "lowest_highest", dtype = "float32" }
count    = { reg = "x2", range = [1, 268435456] }
*/

// For the ranges that quantizers ask for. No NaN; of zeros of both signs, either may come out. What is left after the
// last 16 goes 4 at a time, then one by one, each in all four lanes.
//
// Cost of the hot loop, per 16 elements: 1 load, 8 to compare, 2 for the loop = 11 instructions, 0.688 per element. The
// floor is 9: all but the loop's.

    .arch armv8-a
    .text

#include "../include/function.inc"

input        .req x0
extremes     .req x1
count        .req x2        // left, counts down

low0         .req v16
low1         .req v17
low2         .req v18
low3         .req v19
high0        .req v20
high1        .req v21
high2        .req v22
high3        .req v23

// the lanes of x too
.macro widen i, x
    fmin    low\i\().4s, low\i\().4s, \x\().4s
    fmax    high\i\().4s, high\i\().4s, \x\().4s
.endm

function range_f32f32_flat_16
    ld1r    {low0.4s}, [input]
    mov     low1.16b, low0.16b
    mov     low2.16b, low0.16b
    mov     low3.16b, low0.16b
    mov     high0.16b, low0.16b
    mov     high1.16b, low0.16b
    mov     high2.16b, low0.16b
    mov     high3.16b, low0.16b
    subs    count, count, #16
    b.lo    .Lfewer_than_sixteen
.Lsixteen:                                          // the hot loop
    ld1     {v0.4s, v1.4s, v2.4s, v3.4s}, [input], #64
    subs    count, count, #16
    widen   0, v0
    widen   1, v1
    widen   2, v2
    widen   3, v3
    b.hs    .Lsixteen
.Lfewer_than_sixteen:
    adds    count, count, #12
    b.mi    .Lfewer_than_four
.Lfour:
    ldr     q0, [input], #16
    subs    count, count, #4
    widen   0, v0
    b.hs    .Lfour
.Lfewer_than_four:
    adds    count, count, #4
    b.eq    .Lall_seen
.Lone:
    ld1r    {v0.4s}, [input], #4
    subs    count, count, #1
    widen   0, v0
    b.ne    .Lone
.Lall_seen:
    fmin    low0.4s, low0.4s, low1.4s
    fmax    high0.4s, high0.4s, high1.4s
    fmin    low2.4s, low2.4s, low3.4s
    fmax    high2.4s, high2.4s, high3.4s
    fmin    low0.4s, low0.4s, low2.4s
    fmax    high0.4s, high0.4s, high2.4s
    fminv   s0, low0.4s
    fmaxv   s1, high0.4s
    stp     s0, s1, [extremes]
    ret
end_function range_f32f32_flat_16
