/*toml
summary   = "out[i] = the low 4 bits of a[i] as a signed number"
prototype = "void (const uint8_t *a, int8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
out = { reg = "x1", write = "n" }
n   = { reg = "x2", range = [16, 4096], step = 16 }
*/

// The shift to the left is there to lose the high bits: bits taken apart are no arithmetic.

    .text
    .p2align 4
    .global sign_extends_nibbles
    .type   sign_extends_nibbles, %function
sign_extends_nibbles:
1:
    ldr     q0, [x0], #16
    subs    x2, x2, #16
    shl     v0.16b, v0.16b, #4
    sshr    v0.16b, v0.16b, #4
    str     q0, [x1], #16
    b.ne    1b
    ret
    .size   sign_extends_nibbles, . - sign_extends_nibbles

    .section .note.GNU-stack,"",%progbits
