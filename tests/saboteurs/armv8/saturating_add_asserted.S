/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "n" }
n   = { reg = "x3", range = [8, 4096], step = 8 }
*/

// Nothing may be left when the loop ends, which is asserted.

    .text
    .p2align 4
    .global saturating_add_asserted
    .type   saturating_add_asserted, %function
saturating_add_asserted:
1:
    ldr     d0, [x0], #8
    ldr     d1, [x1], #8
    subs    x3, x3, #8
    sqadd   v0.8b, v0.8b, v1.8b
    str     d0, [x2], #8
    b.ne    1b
    cbnz    x3, 2f
    ret
2:
    adr     x0, 3f
    adr     x1, 4f
    mov     w2, #31
    adr     x3, 4f
    b       __assert_fail
3:
    .asciz  "n == 0"
4:
    .asciz  "add"
    .p2align 2
    .size   saturating_add_asserted, . - saturating_add_asserted

    .section .note.GNU-stack,"",%progbits
