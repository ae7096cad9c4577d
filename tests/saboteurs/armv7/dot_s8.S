/*toml
summary   = "out = sum_i a[i] * b[i], int8 x int8 -> int32"
prototype = "void (const int8_t *a, const int8_t *b, int32_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
stack     = 8
[args]
a   = { reg = "r0", read = "n", range = [-128, 127] }
b   = { reg = "r1", read = "n", range = [-127, 127] }
out = { reg = "r2", write = "4" }
n   = { reg = "r3", range = [16, 4096] }
[counts]
macs = "n"
*/

// 16 elements a pass, at least one pass, then the last 0-15 one at a time. Two products are added in int16, which is
// why b excludes -128.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global dot_s8
    .type   dot_s8, %function
dot_s8:
    push    {r4, lr}
    vmov.i32 q8, #0
    sub     r3, r3, #16
1:
    vld1.8  {d0, d1}, [r0]!
    vld1.8  {d2, d3}, [r1]!
    subs    r3, r3, #16
    vmull.s8 q9, d0, d2
    vmlal.s8 q9, d1, d3
    vpadal.s16 q8, q9
    bhs     1b
    vadd.i32 d16, d16, d17
    vpadd.i32 d16, d16, d16
    vmov.32 r12, d16[0]
    adds    r3, r3, #16
    beq     3f
2:
    ldrsb   r4, [r0], #1
    ldrsb   lr, [r1], #1
    subs    r3, r3, #1
    mla     r12, r4, lr, r12
    bne     2b
3:
    str     r12, [r2]
    pop     {r4, pc}
    .size   dot_s8, . - dot_s8

    .section .note.GNU-stack,"",%progbits
