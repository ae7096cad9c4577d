/*toml
summary   = "output[i] = input[i] ^ 0x80, uint8"
prototype = "void (const uint8_t *input, uint8_t *output, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
input  = { reg = "x0", read = "n" }
output = { reg = "x1", write = "n" }
n      = { reg = "x2", range = [16, 4096] }
*/

// The last 16 bytes are done again where n is no multiple of 16; buffers do not alias, so that does no harm.

    .text
    .p2align 4
    .global flip_overlapping
    .type   flip_overlapping, %function
flip_overlapping:
    movi    v1.16b, #0x80
1:
    ldr     q0, [x0], #16
    subs    x2, x2, #16
    eor     v0.16b, v0.16b, v1.16b
    str     q0, [x1], #16
    b.eq    3f
    cmp     x2, #16
    b.hs    1b
2:
    sub     x3, x2, #16
    ldr     q0, [x0, x3]
    eor     v0.16b, v0.16b, v1.16b
    str     q0, [x1, x3]
3:
    ret
    .size   flip_overlapping, . - flip_overlapping

    .section .note.GNU-stack,"",%progbits
