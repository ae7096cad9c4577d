// Wrong as it stands: NEON takes denormals for 0. The right kernel, asm/armv7/range_f32f32_flat_16.S, goes another way.
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

// For the ranges that quantizers ask for. No NaN; of zeros of both signs, either may come out; numbers nearer to 0 than
// 2^-126 count as 0, as everywhere in ARMv7's NEON. What is left after the last 16 goes 4 at a time, then one by one,
// each in all four lanes.
//
// Registers: q0-q3 the numbers, q8-q11 the lowest, q12-q15 the highest of each lane.
//
// Cost of the hot loop, per 16 elements: 2 loads, 8 to compare, 2 for the loop = 12 instructions, 0.750 per element.
// The floor is 10: all but the loop's.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

input        .req r0
extremes     .req r1
count        .req r2        // left, counts down

// low and high of the lanes of x too
.macro widen low, high, x
    vmin.f32 \low, \low, \x
    vmax.f32 \high, \high, \x
.endm

    .p2align 4
    .global range_f32f32_mismatch_denormals_flushed
    .type   range_f32f32_mismatch_denormals_flushed, %function
range_f32f32_mismatch_denormals_flushed:
    vld1.32 {d16[], d17[]}, [input]
    vmov    q9, q8
    vmov    q10, q8
    vmov    q11, q8
    vmov    q12, q8
    vmov    q13, q8
    vmov    q14, q8
    vmov    q15, q8
    subs    count, count, #16
    blo     2f
1:
    vld1.32 {d0, d1, d2, d3}, [input]!
    vld1.32 {d4, d5, d6, d7}, [input]!
    subs    count, count, #16
    widen   q8, q12, q0
    widen   q9, q13, q1
    widen   q10, q14, q2
    widen   q11, q15, q3
    bhs     1b
2:
    adds    count, count, #12
    bmi     4f
3:
    vld1.32 {d0, d1}, [input]!
    subs    count, count, #4
    widen   q8, q12, q0
    bhs     3b
4:
    adds    count, count, #4
    beq     6f
5:
    vld1.32 {d0[], d1[]}, [input]!
    subs    count, count, #1
    widen   q8, q12, q0
    bne     5b
6:
    vmin.f32 q8, q8, q9
    vmax.f32 q12, q12, q13
    vmin.f32 q10, q10, q11
    vmax.f32 q14, q14, q15
    vmin.f32 q8, q8, q10
    vmax.f32 q12, q12, q14
    vpmin.f32 d16, d16, d17
    vpmax.f32 d24, d24, d25
    vpmin.f32 d16, d16, d16
    vpmax.f32 d24, d24, d24
    vst1.32 {d16[0]}, [extremes]!
    vst1.32 {d24[0]}, [extremes]
    bx      lr
    .size   range_f32f32_mismatch_denormals_flushed, . - range_f32f32_mismatch_denormals_flushed

    .section .note.GNU-stack,"",%progbits
