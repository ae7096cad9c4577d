/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "n" }
n   = { reg = "x3", range = [1, 4096] }
*/

// 16 elements a pass, then the last 0-15 one at a time.

    .text
    .p2align 4
    .global saturating_add_default_nan
    .type   saturating_add_default_nan, %function
saturating_add_default_nan:
    mrs     x10, fpcr
    orr     x9, x10, #(1 << 25)
    msr     fpcr, x9
    subs    x3, x3, #16
    b.lo    2f
1:
    ldr     q0, [x0], #16
    ldr     q1, [x1], #16
    subs    x3, x3, #16
    sqadd   v0.16b, v0.16b, v1.16b
    str     q0, [x2], #16
    b.hs    1b
2:
    adds    x3, x3, #16
    b.eq    4f
3:
    ldr     b0, [x0], #1
    ldr     b1, [x1], #1
    subs    x3, x3, #1
    sqadd   b0, b0, b1
    str     b0, [x2], #1
    b.ne    3b
4:
    msr     fpcr, x10
    ret
    .size   saturating_add_default_nan, . - saturating_add_default_nan

    .section .note.GNU-stack,"",%progbits
