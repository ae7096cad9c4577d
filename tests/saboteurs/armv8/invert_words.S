/*toml
summary   = "out[i] = ~a[i], uint8"
prototype = "void (const uint8_t *a, uint8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
a   = { reg = "x0", read = "n" }
out = { reg = "x1", write = "n" }
n   = { reg = "x2", range = [8, 4096], step = 8 }
*/

// Any alignment will do.

    .text
    .p2align 4
    .global invert_words
    .type   invert_words, %function
invert_words:
1:
    ldr     x3, [x0], #8
    mvn     x3, x3
    str     x3, [x1], #8
    subs    x2, x2, #8
    b.ne    1b
    ret
    .size   invert_words, . - invert_words

    .section .note.GNU-stack,"",%progbits
