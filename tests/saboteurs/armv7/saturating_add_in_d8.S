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

// 16 elements a pass.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global saturating_add_in_d8
    .type   saturating_add_in_d8, %function
saturating_add_in_d8:
    push    {r4, r5}
    vmov    r4, r5, d8
1:
    vld1.8  {d0, d1}, [r0]!
    vld1.8  {d8}, [r1]!
    vld1.8  {d3}, [r1]!
    subs    r3, r3, #16
    vqadd.s8 d0, d0, d8
    vqadd.s8 d1, d1, d3
    vst1.8  {d0, d1}, [r2]!
    bne     1b
    vmov    d8, r4, r5
    pop     {r4, r5}
    bx      lr
    .size   saturating_add_in_d8, . - saturating_add_in_d8

    .section .note.GNU-stack,"",%progbits
