/*toml
summary   = "out[i] = (a[i] + b[i] + 1) / 2, uint8"
prototype = "void (const uint8_t *a, const uint8_t *b, uint8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "n" }
n   = { reg = "x3", range = [8, 4096], step = 8 }
*/

// 8 elements a pass, the sum in uint16: 255 + 255 + 1 needs 9 bits.

    .text
    .p2align 4
    .global average_with_a_term
    .type   average_with_a_term, %function
average_with_a_term:
    mov     w9, #1
    dup     v3.8h, w9
1:
    ldr     d0, [x0], #8
    ldr     d1, [x1], #8
    subs    x3, x3, #8
    uaddl   v2.8h, v0.8b, v1.8b
    add     v2.8h, v2.8h, v3.8h
    shrn    v2.8b, v2.8h, #1
    str     d2, [x2], #8
    b.ne    1b
    ret
    .size   average_with_a_term, . - average_with_a_term

    .section .note.GNU-stack,"",%progbits
