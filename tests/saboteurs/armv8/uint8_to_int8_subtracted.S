/*toml
summary   = "out[i] = a[i] - 128, uint8 -> int8"
prototype = "void (const uint8_t *a, int8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
out = { reg = "x1", write = "n" }
n   = { reg = "x2", range = [8, 4096], step = 8 }
*/

// Zero points 0 and 128: a constant takes one kind of number to the other.

    .text
    .p2align 4
    .global uint8_to_int8_subtracted
    .type   uint8_to_int8_subtracted, %function
uint8_to_int8_subtracted:
    movi    v7.8b, #128
1:
    ldr     d0, [x0], #8
    subs    x2, x2, #8
    sub     v0.8b, v0.8b, v7.8b
    str     d0, [x1], #8
    b.ne    1b
    ret
    .size   uint8_to_int8_subtracted, . - uint8_to_int8_subtracted

    .section .note.GNU-stack,"",%progbits
