/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "n" }
n   = { reg = "x3", range = [16, 4096], step = 16 }
*/

// Two passes of 16 elements in a row; the loop is entered in its middle for an odd number of them.

    .text
    .p2align 4
    .global saturating_add_entered_in_the_middle
    .type   saturating_add_entered_in_the_middle, %function
saturating_add_entered_in_the_middle:
    adr     x9, 1f
    adr     x10, 2f
    tst     x3, #16
    csel    x9, x9, x10, eq
    br      x9
1:
    ld1     {v0.16b}, [x0], #16
    ld1     {v1.16b}, [x1], #16
    sqadd   v0.16b, v0.16b, v1.16b
    st1     {v0.16b}, [x2], #16
2:
    ld1     {v0.16b}, [x0], #16
    ld1     {v1.16b}, [x1], #16
    sqadd   v0.16b, v0.16b, v1.16b
    st1     {v0.16b}, [x2], #16
    subs    x3, x3, #32
    b.hi    1b
    ret
    .size   saturating_add_entered_in_the_middle, . - saturating_add_entered_in_the_middle

    .section .note.GNU-stack,"",%progbits
