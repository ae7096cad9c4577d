/*toml
summary   = "out[i] = ~a[i], 16*blocks uint8"
prototype = "void (const uint8_t *a, uint8_t *out, size_t blocks)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
a      = { reg = "x0", read = "16*blocks" }
out    = { reg = "x1", write = "16*blocks" }
blocks = { reg = "x2", range = [1, 4096] }
*/

// The contract has at least one block, so that no test stands in front of the loop.

    .text
    .p2align 4
    .global invert_some_blocks
    .type   invert_some_blocks, %function
invert_some_blocks:
1:
    ldr     q0, [x0], #16
    mvn     v0.16b, v0.16b
    str     q0, [x1], #16
    subs    x2, x2, #1
    b.ne    1b
    ret
    .size   invert_some_blocks, . - invert_some_blocks

    .section .note.GNU-stack,"",%progbits
