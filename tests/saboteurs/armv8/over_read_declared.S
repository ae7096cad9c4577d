/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n", over_read = 7 }
b   = { reg = "x1", read = "n", over_read = 7 }
out = { reg = "x2", write = "n" }
n   = { reg = "x3", range = [1, 4096] }
*/

// Inputs are loaded 8 bytes at a time to the end and beyond, as declared; of the last vector only what counts is stored.

    .text
    .p2align 4
    .global over_read_declared
    .type   over_read_declared, %function
over_read_declared:
1:
    ldr     d0, [x0], #8
    ldr     d1, [x1], #8
    subs    x3, x3, #8
    sqadd   v0.8b, v0.8b, v1.8b
    b.lo    2f
    str     d0, [x2], #8
    b.ne    1b
    ret
2:
    add     x3, x3, #8
3:
    st1     {v0.b}[0], [x2], #1
    ext     v0.8b, v0.8b, v0.8b, #1
    subs    x3, x3, #1
    b.ne    3b
    ret
    .size   over_read_declared, . - over_read_declared

    .section .note.GNU-stack,"",%progbits
