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

// The high halves of v8-v15 are free: a callee keeps the low 64 bits only, and they stay as they are here.

    .text
    .p2align 4
    .global high_halves
    .type   high_halves, %function
high_halves:
1:
    ldr     q0, [x0], #16
    ldr     q1, [x1], #16
    subs    x3, x3, #16
    mov     v8.d[1], v0.d[0]
    mov     v9.d[1], v0.d[1]
    mov     v14.d[1], v1.d[0]
    ins     v15.d[1], v1.d[1]
    ext     v2.16b, v8.16b, v8.16b, #8
    ext     v3.16b, v9.16b, v9.16b, #8
    mov     v2.d[1], v3.d[0]
    ext     v4.16b, v14.16b, v14.16b, #8
    ext     v5.16b, v15.16b, v15.16b, #8
    mov     v4.d[1], v5.d[0]
    sqadd   v2.16b, v2.16b, v4.16b
    str     q2, [x2], #16
    b.ne    1b
    ret
    .size   high_halves, . - high_halves

    .section .note.GNU-stack,"",%progbits
