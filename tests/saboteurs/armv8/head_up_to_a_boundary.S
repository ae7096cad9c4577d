/*toml
summary   = "out[i] = (a[i] + b[i] + 1) / 2, uint8"
prototype = "void (const uint8_t *a, const uint8_t *b, uint8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "n" }
n   = { reg = "x3", range = [8, 4096], step = 8 }
*/

// Elements one at a time up to a boundary of the output, then 8 a pass, then the last one at a time: which element is
// averaged where depends on the address, what comes out does not.

    .text
    .p2align 4
    .global head_up_to_a_boundary
    .type   head_up_to_a_boundary, %function
head_up_to_a_boundary:
1:
    tst     x2, #7
    b.eq    2f
    ldrb    w4, [x0], #1
    ldrb    w5, [x1], #1
    add     w4, w4, w5
    add     w4, w4, #1
    lsr     w4, w4, #1
    strb    w4, [x2], #1
    subs    x3, x3, #1
    b.ne    1b
    ret
2:
    subs    x3, x3, #8
    b.lo    4f
3:
    ldr     d0, [x0], #8
    ldr     d1, [x1], #8
    urhadd  v0.8b, v0.8b, v1.8b
    str     d0, [x2], #8
    subs    x3, x3, #8
    b.hs    3b
4:
    adds    x3, x3, #8
    b.eq    6f
5:
    ldrb    w4, [x0], #1
    ldrb    w5, [x1], #1
    add     w4, w4, w5
    add     w4, w4, #1
    lsr     w4, w4, #1
    strb    w4, [x2], #1
    subs    x3, x3, #1
    b.ne    5b
6:
    ret
    .size   head_up_to_a_boundary, . - head_up_to_a_boundary

    .section .note.GNU-stack,"",%progbits
