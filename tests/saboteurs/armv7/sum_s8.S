/*toml
summary   = "out = sum_i a[i], int8 -> int32"
prototype = "void (const int8_t *a, int32_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n" }
out = { reg = "r1", write = "4" }
n   = { reg = "r2", range = [512, 8192], step = 512 }
*/

// 16 elements a pass, added in pairs to int16, whose pairs are added to int32.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global sum_s8
    .type   sum_s8, %function
sum_s8:
    vmov.i32 q2, #0
1:
    vld1.8  {d0, d1}, [r0]!
    subs    r2, r2, #16
    vpaddl.s8 q1, q0
    vpadal.s16 q2, q1
    bne     1b
    vadd.i32 d4, d4, d5
    vpadd.i32 d4, d4, d4
    vst1.32 {d4[0]}, [r1]
    bx      lr
    .size   sum_s8, . - sum_s8

    .section .note.GNU-stack,"",%progbits
