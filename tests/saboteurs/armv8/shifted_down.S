/*toml
summary   = "a[i] = a[i + 8], uint8"
prototype = "void (uint8_t *a, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 16
[args]
a = { reg = "x0", read = "n", write = "n-8" }
n = { reg = "x1", range = [16, 256] }
*/

// The two places overlap, which memmove allows.

    .text
    .p2align 4
    .global shifted_down
    .type   shifted_down, %function
shifted_down:
    str     x30, [sp, #-16]!
    sub     x2, x1, #8
    add     x1, x0, #8
    bl      memmove
    ldr     x30, [sp], #16
    ret
    .size   shifted_down, . - shifted_down

    .section .note.GNU-stack,"",%progbits
