/*toml
summary   = "out[i] = how many a[j] are below a[i], uint8 -> uint16"
prototype = "void (const uint8_t *a, uint16_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
out = { reg = "x1", write = "2*n" }
n   = { reg = "x2", range = [1, 1536] }
*/

// Every element is compared with every other, one at a time: some 5 n^2 instructions.

    .text
    .p2align 4
    .global rank_by_counting
    .type   rank_by_counting, %function
rank_by_counting:
    mov     x3, #0
1:
    ldrb    w4, [x0, x3]
    mov     w5, #0
    mov     x6, #0
2:
    ldrb    w7, [x0, x6]
    add     x6, x6, #1
    cmp     w7, w4
    cinc    w5, w5, lo
    cmp     x6, x2
    b.ne    2b
    strh    w5, [x1, x3, lsl #1]
    add     x3, x3, #1
    cmp     x3, x2
    b.ne    1b
    ret
    .size   rank_by_counting, . - rank_by_counting

    .section .note.GNU-stack,"",%progbits
