/*toml
summary   = "the index of the first of the largest elements"
prototype = "uint32_t (const int8_t *src, size_t n)"
isa       = ["armv8.0-a"]
stack     = 0
[args]
src = { reg = "x0", read = "n" }
n   = { reg = "x1", range = [1, 16777216] }
*/

    .arch   armv8-a
    .text
    .p2align 2
    .global argmax_s8
    .type   argmax_s8, %function
argmax_s8:
    ldrsb   w2, [x0]                // the largest so far
    mov     x3, xzr                 // its index
    mov     x4, xzr
1:
    add     x4, x4, #1
    cmp     x4, x1
    b.eq    2f
    ldrsb   w5, [x0, x4]
    cmp     w5, w2
    csel    w2, w5, w2, gt
    csel    x3, x4, x3, gt
    b       1b
2:
    mov     w0, w3
    ret
    .size   argmax_s8, . - argmax_s8

    .section .note.GNU-stack,"",%progbits
