/*toml
summary   = "out[i] = (a[i] + b[i] + 1) / 2, uint8"
prototype = "void (const uint8_t *a, const uint8_t *b, uint8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 16
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "n" }
n   = { reg = "x3", range = [8, 4096], step = 8 }
*/

// A call within the file, with x30 saved; the helper uses x16 and x17, which are free between a call and its target.

    .text
    .p2align 4
    .global calls_a_helper
    .type   calls_a_helper, %function
calls_a_helper:
    str     x30, [sp, #-16]!
1:
    bl      average_8
    subs    x3, x3, #8
    b.ne    1b
    ldr     x30, [sp], #16
    ret

average_8:
    mov     x16, x0
    mov     x17, x1
    ldr     d0, [x16], #8
    ldr     d1, [x17], #8
    mov     x0, x16
    mov     x1, x17
    urhadd  v0.8b, v0.8b, v1.8b
    str     d0, [x2], #8
    ret
    .size   calls_a_helper, . - calls_a_helper

    .section .note.GNU-stack,"",%progbits
