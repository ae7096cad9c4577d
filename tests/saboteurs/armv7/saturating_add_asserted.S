/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n" }
b   = { reg = "r1", read = "n" }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [8, 4096], step = 8 }
*/

// Nothing may be left when the loop ends, which is asserted.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global saturating_add_asserted
    .type   saturating_add_asserted, %function
saturating_add_asserted:
1:
    vld1.8  {d0}, [r0]!
    vld1.8  {d1}, [r1]!
    subs    r3, r3, #8
    vqadd.s8 d0, d0, d1
    vst1.8  {d0}, [r2]!
    bne     1b
    cmp     r3, #0
    bne     2f
    bx      lr
2:
    adr     r0, 3f
    adr     r1, 4f
    mov     r2, #31
    adr     r3, 4f
    b       __assert_fail
    .p2align 2
3:
    .asciz  "n == 0"
    .p2align 2
4:
    .asciz  "add"
    .p2align 2
    .size   saturating_add_asserted, . - saturating_add_asserted

    .section .note.GNU-stack,"",%progbits
