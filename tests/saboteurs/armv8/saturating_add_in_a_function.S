/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 16
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "n" }
n   = { reg = "x3", range = [16, 4096], step = 16 }
*/

// 16 elements a pass, in a function of their own.

    .text
    .p2align 4
    .global saturating_add_in_a_function
    .type   saturating_add_in_a_function, %function
saturating_add_in_a_function:
    str     x30, [sp, #-16]!
1:
    bl      2f
    subs    x3, x3, #16
    b.ne    1b
    ldr     x30, [sp], #16
    ret
2:
    ld1     {v0.16b}, [x0], #16
    ld1     {v1.16b}, [x1], #16
    sqadd   v0.16b, v0.16b, v1.16b
    st1     {v0.16b}, [x2], #16
    ret
    .size   saturating_add_in_a_function, . - saturating_add_in_a_function

    .section .note.GNU-stack,"",%progbits
