/*toml
summary   = "out[i] = a[i] ^ b[i], uint8"
prototype = "void (const uint8_t *a, const uint8_t *b, uint8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 16
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "n" }
n   = { reg = "x3", range = [0, 67108864] }
*/

// Nothing to do is told apart before x19 is saved.

    .text
    .p2align 4
    .global xor_bytes
    .type   xor_bytes, %function
xor_bytes:
    cbz     x3, 9f
    str     x19, [sp, #-16]!
    mov     x19, x3
    subs    x19, x19, #16
    b.lo    2f
1:
    ldr     q0, [x0], #16
    ldr     q1, [x1], #16
    eor     v0.16b, v0.16b, v1.16b
    str     q0, [x2], #16
    subs    x19, x19, #16
    b.hs    1b
2:
    adds    x19, x19, #16
    b.eq    4f
3:
    ldrb    w4, [x0], #1
    ldrb    w5, [x1], #1
    eor     w4, w4, w5
    strb    w4, [x2], #1
    subs    x19, x19, #1
    b.ne    3b
4:
    ldr     x19, [sp], #16
9:
    ret
    .size   xor_bytes, . - xor_bytes

    .section .note.GNU-stack,"",%progbits
