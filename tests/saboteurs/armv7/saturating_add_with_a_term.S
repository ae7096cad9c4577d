/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n" }
b   = { reg = "r1", read = "n" }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [16, 4096], step = 16 }
*/

// 16 elements a pass, and a term that is added to each: 0.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global saturating_add_with_a_term
    .type   saturating_add_with_a_term, %function
saturating_add_with_a_term:
    push    {r4, r5}
    mov     r4, #0
    vdup.8  q2, r4
1:
    vld1.8  {d0, d1}, [r0]!
    vld1.8  {d2, d3}, [r1]!
    subs    r3, r3, #16
    vqadd.s8 q0, q0, q1
    vqadd.s8 q0, q0, q2
    vst1.8  {d0, d1}, [r2]!
    bne     1b
    pop     {r4, r5}
    bx      lr
    .size   saturating_add_with_a_term, . - saturating_add_with_a_term

    .section .note.GNU-stack,"",%progbits
