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

// 16 elements a pass, up to the end of the output.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global saturating_add_up_to_the_end
    .type   saturating_add_up_to_the_end, %function
saturating_add_up_to_the_end:
    add     r12, r2, r3
1:
    vld1.8  {d0, d1}, [r0]!
    vld1.8  {d2, d3}, [r1]!
    vqadd.s8 q0, q0, q1
    vst1.8  {d0, d1}, [r2]!
    cmp     r2, r12
    bne     1b
    bx      lr
    .size   saturating_add_up_to_the_end, . - saturating_add_up_to_the_end

    .section .note.GNU-stack,"",%progbits
