/*toml
summary   = "extremes = the lowest and the highest of input"
prototype = "void (const float *input, float *extremes, size_t count)"
isa       = ["armv7-a", "neon"]
stack     = 0
[args]
input    = { reg = "r0", read = "4*count", layout = "flat", dtype = "float32", range = [-1e30, 1e30] }
extremes = { reg = "r1", write = "8", layout = "lowest_highest", dtype = "float32" }
count    = { reg = "r2", range = [1, 268435456] }
*/

// For the ranges that quantizers ask for. No NaN; of zeros of both signs, either may come out.
//
// ARMv7's NEON takes numbers nearer to 0 than 2^-126 for 0, so floats are compared as the integers that their bits are.
// Of floats with sign 0 the order is that of the integers. With sign 1 it is the reverse: the lowest float is the highest
// unsigned integer. So three of the integers are enough:
//
//     most     the highest, unsigned: the lowest float, if any has sign 1
//     least    the lowest, unsigned: the lowest float, if none has sign 1; the highest, if all have
//     highest  the highest, signed: the highest float, unless all have sign 1
//
// What is left after the last 16 goes 4 at a time, then one by one, each in all four lanes.
//
// Registers: q0-q3 the numbers; q8, q9 most, q10, q11 least, q12, q13 highest of each lane, of every other 4 numbers.
//
// Cost of the hot loop, per 16 elements: 2 loads, 12 to compare, 2 for the loop = 16 instructions, 1.000 per element.
// The floor is 14: all but the loop's.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

#include "../include/function.inc"

input        .req r0
extremes     .req r1
count        .req r2        // left, counts down

// most, least and highest of the lanes of x too
.macro widen most, least, highest, x
    vmax.u32 \most, \most, \x
    vmin.u32 \least, \least, \x
    vmax.s32 \highest, \highest, \x
.endm

function range_f32f32_flat_16
    vld1.32 {d16[], d17[]}, [input]
    vmov    q9, q8
    vmov    q10, q8
    vmov    q11, q8
    vmov    q12, q8
    vmov    q13, q8
    subs    count, count, #16
    blo     .Lfewer_than_sixteen
.Lsixteen:                                          // the hot loop
    vld1.32 {d0, d1, d2, d3}, [input]!
    vld1.32 {d4, d5, d6, d7}, [input]!
    subs    count, count, #16
    widen   q8, q10, q12, q0
    widen   q9, q11, q13, q1
    widen   q8, q10, q12, q2
    widen   q9, q11, q13, q3
    bhs     .Lsixteen
.Lfewer_than_sixteen:
    adds    count, count, #12
    bmi     .Lfewer_than_four
.Lfour:
    vld1.32 {d0, d1}, [input]!
    subs    count, count, #4
    widen   q8, q10, q12, q0
    bhs     .Lfour
.Lfewer_than_four:
    adds    count, count, #4
    beq     .Lall_seen
.Lone:
    vld1.32 {d0[], d1[]}, [input]!
    subs    count, count, #1
    widen   q8, q10, q12, q0
    bne     .Lone
.Lall_seen:
    vmax.u32 q8, q8, q9
    vmin.u32 q10, q10, q11
    vmax.s32 q12, q12, q13
    vpmax.u32 d16, d16, d17
    vpmin.u32 d20, d20, d21
    vpmax.s32 d24, d24, d25
    vpmax.u32 d16, d16, d16
    vpmin.u32 d20, d20, d20
    vpmax.s32 d24, d24, d24
    vshr.s32 d0, d16, #31       // all bits, if any number has sign 1
    vshr.s32 d1, d24, #31       // all bits, if all have
    vbit    d24, d20, d1
    vbsl    d0, d16, d20
    vst1.32 {d0[0]}, [extremes]!
    vst1.32 {d24[0]}, [extremes]
    bx      lr
end_function range_f32f32_flat_16
