/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n" }
b   = { reg = "r1", read = "n" }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [1, 4096] }
*/

// 16 elements a pass, then the last 0-15 one at a time.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global saturating_add_s8
    .type   saturating_add_s8, %function
saturating_add_s8:
    subs    r3, r3, #16
    blo     2f
1:
    vld1.8  {d0, d1}, [r0]!
    vld1.8  {d2, d3}, [r1]!
    subs    r3, r3, #16
    vqadd.s8 q0, q0, q1
    vst1.8  {d0, d1}, [r2]!
    bhs     1b
2:
    adds    r3, r3, #16
    beq     4f
3:
    vld1.8  {d0[]}, [r0]!
    vld1.8  {d1[]}, [r1]!
    subs    r3, r3, #1
    vqadd.s8 d0, d0, d1
    vst1.8  {d0[0]}, [r2]!
    bne     3b
4:
    bx      lr
    .size   saturating_add_s8, . - saturating_add_s8

    .section .note.GNU-stack,"",%progbits
