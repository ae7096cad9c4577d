// Wrong as it stands: NEON takes denormals for 0. The right kernel, asm/armv7/range/range_f32f32_flat_16.S, goes another way.
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
// 2^-126 count as 0, as everywhere in ARMv7's NEON. The numbers go one by one.
//
// Registers: d0 the number, d16 the lowest, d18 the highest.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

input        .req r0
extremes     .req r1
count        .req r2        // left, counts down

    .p2align 4
    .global range_f32f32_mismatch_denormals_flushed
    .type   range_f32f32_mismatch_denormals_flushed, %function
range_f32f32_mismatch_denormals_flushed:
    vld1.32 {d16[]}, [input]
    vmov    d18, d16
1:
    vld1.32 {d0[]}, [input]!
    subs    count, count, #1
    vmin.f32 d16, d16, d0
    vmax.f32 d18, d18, d0
    bne     1b
    vst1.32 {d16[0]}, [extremes]!
    vst1.32 {d18[0]}, [extremes]
    bx      lr
    .size   range_f32f32_mismatch_denormals_flushed, . - range_f32f32_mismatch_denormals_flushed

    .section .note.GNU-stack,"",%progbits
