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

// Two passes of 16 elements in a row; the loop is entered in its middle for an odd number of them.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global saturating_add_entered_in_the_middle
    .type   saturating_add_entered_in_the_middle, %function
saturating_add_entered_in_the_middle:
    adr     r12, 1f
    tst     r3, #16
    addne   r12, r12, #16
    bx      r12
1:
    vld1.8  {d0, d1}, [r0]!
    vld1.8  {d2, d3}, [r1]!
    vqadd.s8 q0, q0, q1
    vst1.8  {d0, d1}, [r2]!
2:
    vld1.8  {d0, d1}, [r0]!
    vld1.8  {d2, d3}, [r1]!
    vqadd.s8 q0, q0, q1
    vst1.8  {d0, d1}, [r2]!
    subs    r3, r3, #32
    bhi     1b
    bx      lr
    .size   saturating_add_entered_in_the_middle, . - saturating_add_entered_in_the_middle

    .section .note.GNU-stack,"",%progbits
