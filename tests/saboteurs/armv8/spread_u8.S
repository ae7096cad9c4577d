/*toml
summary   = "out[i] = largest less smallest of a[row][i], rows of 16 uint8"
prototype = "void (const uint8_t *a, uint8_t *out, size_t rows)"
isa       = ["armv8.0-a", "neon"]
[args]
a    = { reg = "x0", read = "16*rows" }
out  = { reg = "x1", write = "16" }
rows = { reg = "x2", range = [1, 256] }
*/

// The largest is never below the smallest, so that a byte holds what is between them.

    .text
    .p2align 4
    .global spread_u8
    .type   spread_u8, %function
spread_u8:
    movi    v2.16b, #0
    movi    v3.16b, #255
1:
    ldr     q0, [x0], #16
    subs    x2, x2, #1
    umax    v2.16b, v2.16b, v0.16b
    umin    v3.16b, v3.16b, v0.16b
    b.ne    1b
    sub     v2.16b, v2.16b, v3.16b
    str     q2, [x1]
    ret
    .size   spread_u8, . - spread_u8

    .section .note.GNU-stack,"",%progbits
