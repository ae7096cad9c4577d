/*toml
summary   = "out[i] = saturate(round(in[i] * multiplier / 2^31 / 2^shift) + zero), int32 -> int8"
prototype = "void (const int32_t *in, int8_t *out, size_t n, int32_t multiplier, int32_t shift, int32_t zero)"
isa       = ["armv7-a", "neon"]
[args]
in         = { reg = "r0", read = "4*n" }
out        = { reg = "r1", write = "n" }
n          = { reg = "r2", range = [8, 4096], step = 8 }
multiplier = { reg = "r3", range = [1073741824, 2147483647], step = 12345678 }
shift      = { reg = "stack+0", range = [1, 31] }
zero       = { reg = "stack+4", range = [-128, 127] }
*/

// 8 elements a pass; every narrowing step saturates.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global rescale_s32_s8
    .type   rescale_s32_s8, %function
rescale_s32_s8:
    ldr     r12, [sp]
    vdup.32 q8, r3
    rsb     r12, r12, #0
    vdup.32 q9, r12
    ldr     r12, [sp, #4]
    vdup.16 q10, r12
1:
    vld1.32 {d0, d1, d2, d3}, [r0]!
    subs    r2, r2, #8
    vqrdmulh.s32 q0, q0, q8
    vqrdmulh.s32 q1, q1, q8
    vrshl.s32 q0, q0, q9
    vrshl.s32 q1, q1, q9
    vqmovn.s32 d4, q0
    vqmovn.s32 d5, q1
    vqadd.s16 q2, q2, q10
    vqmovn.s16 d4, q2
    vst1.8  {d4}, [r1]!
    bne     1b
    bx      lr
    .size   rescale_s32_s8, . - rescale_s32_s8

    .section .note.GNU-stack,"",%progbits
