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

// 16 elements a pass.

    .text
    .p2align 4
    .global saturating_add_in_d8
    .type   saturating_add_in_d8, %function
saturating_add_in_d8:
    fmov    x9, d8
1:
    ld1     {v8.16b}, [x0], #16
    ld1     {v1.16b}, [x1], #16
    subs    x3, x3, #16
    sqadd   v8.16b, v8.16b, v1.16b
    st1     {v8.16b}, [x2], #16
    b.ne    1b
    fmov    d8, x9
    ret
    .size   saturating_add_in_d8, . - saturating_add_in_d8

    .section .note.GNU-stack,"",%progbits
