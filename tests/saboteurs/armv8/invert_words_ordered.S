/*toml
summary   = "out[i] = ~a[i], uint8"
prototype = "void (const uint8_t *a, uint8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
a   = { reg = "x0", read = "n", align = 8 }
out = { reg = "x1", write = "n", align = 8 }
n   = { reg = "x2", range = [8, 4096], step = 8 }
*/

// Callers align both to 8 bytes, which ldar and stlr need.

    .text
    .p2align 4
    .global invert_words_ordered
    .type   invert_words_ordered, %function
invert_words_ordered:
1:
    ldar    x3, [x0]
    add     x0, x0, #8
    mvn     x3, x3
    stlr    x3, [x1]
    add     x1, x1, #8
    subs    x2, x2, #8
    b.ne    1b
    ret
    .size   invert_words_ordered, . - invert_words_ordered

    .section .note.GNU-stack,"",%progbits
