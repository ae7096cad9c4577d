/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "n" }
n   = { reg = "x3", range = [16, 4096] }
*/

// The last 16 elements are done as a whole, some for the second time: bytes may be stored twice, and the output be read
// back once it is written.

    .text
    .p2align 4
    .global overlapping_tail
    .type   overlapping_tail, %function
overlapping_tail:
    sub     x4, x3, #16
    add     x5, x0, x4
    add     x6, x1, x4
    add     x7, x2, x4
1:
    ldr     q0, [x0], #16
    ldr     q1, [x1], #16
    subs    x4, x4, #16
    sqadd   v0.16b, v0.16b, v1.16b
    str     q0, [x2], #16
    b.hs    1b
    ldr     q0, [x5]
    ldr     q1, [x6]
    sqadd   v0.16b, v0.16b, v1.16b
    str     q0, [x7]
    ldr     b2, [x7]
    str     b2, [x7]
    ret
    .size   overlapping_tail, . - overlapping_tail

    .section .note.GNU-stack,"",%progbits
