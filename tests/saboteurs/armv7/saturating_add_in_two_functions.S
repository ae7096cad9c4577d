/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
stack     = 16
[args]
a   = { reg = "r0", read = "n" }
b   = { reg = "r1", read = "n" }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [16, 4096], step = 16 }
*/

// 16 elements a pass, in a function of their own, which has its loads in yet another.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global saturating_add_in_two_functions
    .type   saturating_add_in_two_functions, %function
saturating_add_in_two_functions:
    push    {r3, lr}
1:
    bl      2f
    subs    r3, r3, #16
    bne     1b
    pop     {r3, pc}
2:
    push    {r3, lr}
    bl      3f
    vqadd.s8 q0, q0, q1
    vst1.8  {d0, d1}, [r2]!
    pop     {r3, pc}
3:
    vld1.8  {d0, d1}, [r0]!
    vld1.8  {d2, d3}, [r1]!
    bx      lr
    .size   saturating_add_in_two_functions, . - saturating_add_in_two_functions

    .section .note.GNU-stack,"",%progbits
