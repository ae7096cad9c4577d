// saboteur: bad-return at line 25: the computed branch is two bytes off, where no instruction begins
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
    .global bad_return_into_the_middle
    .type   bad_return_into_the_middle, %function
bad_return_into_the_middle:
    adr     x9, 1f
    adr     x10, 2f
    tst     x3, #16
    csel    x9, x9, x10, eq
    add     x9, x9, #2
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
    .size   bad_return_into_the_middle, . - bad_return_into_the_middle

    .section .note.GNU-stack,"",%progbits
