/*toml
summary   = "out[i] = ~a[i], 16*blocks uint8"
prototype = "void (const uint8_t *a, uint8_t *out, size_t blocks)"
isa       = ["armv7-a", "neon"]
stack     = 0
[args]
a      = { reg = "r0", read = "16*blocks" }
out    = { reg = "r1", write = "16*blocks" }
blocks = { reg = "r2", range = [1, 4096] }
*/

// The contract has at least one block, so that no test stands in front of the loop.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 2
    .global invert_some_blocks
    .type   invert_some_blocks, %function
invert_some_blocks:
1:
    vld1.8  {d0, d1}, [r0]!
    vmvn    q0, q0
    vst1.8  {d0, d1}, [r1]!
    subs    r2, r2, #1
    bne     1b
    bx      lr
    .size   invert_some_blocks, . - invert_some_blocks

    .section .note.GNU-stack,"",%progbits
