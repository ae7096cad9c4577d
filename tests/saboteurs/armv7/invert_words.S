/*toml
summary   = "out[i] = ~a[i], uint8"
prototype = "void (const uint8_t *a, uint8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
stack     = 0
[args]
a   = { reg = "r0", read = "n" }
out = { reg = "r1", write = "n" }
n   = { reg = "r2", range = [8, 4096], step = 8 }
*/

// Any alignment will do.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 2
    .global invert_words
    .type   invert_words, %function
invert_words:
1:
    ldr     r3, [r0], #4
    mvn     r3, r3
    str     r3, [r1], #4
    subs    r2, r2, #4
    bne     1b
    bx      lr
    .size   invert_words, . - invert_words

    .section .note.GNU-stack,"",%progbits
