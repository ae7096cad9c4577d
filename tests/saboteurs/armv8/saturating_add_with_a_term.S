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

// 16 elements a pass, and a term that is added to each: 0.

    .text
    .p2align 4
    .global saturating_add_with_a_term
    .type   saturating_add_with_a_term, %function
saturating_add_with_a_term:
    mov     w9, #0
    dup     v2.16b, w9
1:
    ld1     {v0.16b}, [x0], #16
    ld1     {v1.16b}, [x1], #16
    subs    x3, x3, #16
    sqadd   v0.16b, v0.16b, v1.16b
    sqadd   v0.16b, v0.16b, v2.16b
    st1     {v0.16b}, [x2], #16
    b.ne    1b
    ret
    .size   saturating_add_with_a_term, . - saturating_add_with_a_term

    .section .note.GNU-stack,"",%progbits
