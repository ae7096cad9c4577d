/*toml
summary   = "the sum of n <= 16 elements, int8 -> int32"
prototype = "int32_t (const int8_t *src, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
src = { reg = "x0", read = "n", over_read = 15 }
n   = { reg = "x1", range = [1, 16] }
*/

// 16 bytes are loaded, unless they cross the end of a page: behind it may be nothing.

    .arch   armv8-a
    .text
    .p2align 2
    .global sum_within_a_page
    .type   sum_within_a_page, %function
sum_within_a_page:
    and     x2, x0, #4095
    cmp     x2, #4080
    b.hi    2f
    ldr     q0, [x0]
    adr     x2, .Lindices
    ldr     q1, [x2]
    dup     v2.16b, w1
    cmhi    v1.16b, v2.16b, v1.16b
    and     v0.16b, v0.16b, v1.16b
    saddlv  h0, v0.16b
    smov    w0, v0.h[0]
    ret
2:
    mov     w2, wzr
3:
    ldrsb   w3, [x0], #1
    add     w2, w2, w3
    subs    x1, x1, #1
    b.ne    3b
    mov     w0, w2
    ret
    .p2align 4
.Lindices:
    .byte   0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    .size   sum_within_a_page, . - sum_within_a_page

    .section .note.GNU-stack,"",%progbits
