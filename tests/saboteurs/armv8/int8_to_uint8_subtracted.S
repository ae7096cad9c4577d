/*toml
summary   = "out[i] = a[i] + 128, int8 -> uint8"
prototype = "void (const int8_t *a, uint8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
out = { reg = "x1", write = "n" }
n   = { reg = "x2", range = [8, 4096], step = 8 }
*/

// 128 is -128 too, and taken away comes to the same.

    .text
    .p2align 4
    .global int8_to_uint8_subtracted
    .type   int8_to_uint8_subtracted, %function
int8_to_uint8_subtracted:
    movi    v7.8b, #128
1:
    ldr     d0, [x0], #8
    subs    x2, x2, #8
    sub     v0.8b, v0.8b, v7.8b
    str     d0, [x1], #8
    b.ne    1b
    ret
    .size   int8_to_uint8_subtracted, . - int8_to_uint8_subtracted

    .section .note.GNU-stack,"",%progbits
