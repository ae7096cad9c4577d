/*toml
summary   = "out = sum_i a[i] * b[i], int8 x int8 -> int32"
prototype = "void (const int8_t *a, const int8_t *b, int32_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n", range = [-128, 127] }
b   = { reg = "x1", read = "n", range = [-127, 127] }
out = { reg = "x2", write = "4" }
n   = { reg = "x3", range = [16, 4096] }
[counts]
macs = "n"
*/

// 16 elements a pass, at least one pass, then the last 0-15 one at a time. Two products are added in int16, which is
// why b excludes -128.

    .text
    .p2align 4
    .global dot_s8
    .type   dot_s8, %function
dot_s8:
    movi    v2.4s, #0
    sub     x3, x3, #16
1:
    ldr     q0, [x0], #16
    ldr     q1, [x1], #16
    subs    x3, x3, #16
    smull   v4.8h, v0.8b, v1.8b
    smlal2  v4.8h, v0.16b, v1.16b
    sadalp  v2.4s, v4.8h
    b.hs    1b
    addv    s2, v2.4s
    fmov    w4, s2
    adds    x3, x3, #16
    b.eq    3f
2:
    ldrsb   w5, [x0], #1
    ldrsb   w6, [x1], #1
    subs    x3, x3, #1
    madd    w4, w5, w6, w4
    b.ne    2b
3:
    str     w4, [x2]
    ret
    .size   dot_s8, . - dot_s8

    .section .note.GNU-stack,"",%progbits
