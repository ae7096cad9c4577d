/*toml
summary   = "out[i] = ~a[i], 16*blocks uint8"
prototype = "void (const uint8_t *a, uint8_t *out, size_t blocks)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
a      = { reg = "x0", read = "16*blocks" }
out    = { reg = "x1", write = "16*blocks" }
blocks = { reg = "x2", range = [0, 4096] }
*/

// A loop that tests behind its body, hence a test in front.

    .text
    .p2align 4
    .global invert_blocks
    .type   invert_blocks, %function
invert_blocks:
    cbz     x2, 2f
1:
    ldr     q0, [x0], #16
    mvn     v0.16b, v0.16b
    str     q0, [x1], #16
    subs    x2, x2, #1
    b.ne    1b
2:
    ret
    .size   invert_blocks, . - invert_blocks

    .section .note.GNU-stack,"",%progbits
