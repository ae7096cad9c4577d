/*toml
summary   = "out = sum_i a[i] * b[i], int8 x int8 -> int32"
prototype = "void (const int8_t *a, const int8_t *b, int32_t *out, size_t n)"
isa       = ["armv8.2-a", "neon", "i8mm"]
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "4" }
n   = { reg = "x3", range = [16, 4096], step = 16 }
[counts]
macs = "n"
*/

// Of the 2 x 2 products of smmla, those on the diagonal make the sum.

    .arch   armv8.2-a+i8mm
    .text
    .p2align 4
    .global smmla
    .type   smmla, %function
smmla:
    movi    v2.4s, #0
1:
    ldr     q0, [x0], #16
    ldr     q1, [x1], #16
    subs    x3, x3, #16
    smmla   v2.4s, v0.16b, v1.16b
    b.ne    1b
    mov     w4, v2.s[0]
    mov     w5, v2.s[3]
    add     w4, w4, w5
    str     w4, [x2]
    ret
    .size   smmla, . - smmla

    .section .note.GNU-stack,"",%progbits
