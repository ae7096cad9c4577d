// saboteur: feature-not-declared at line 30: bfdot is used, bf16 not declared
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

    .arch   armv8.2-a+bf16
    .text
    .p2align 4
    .global feature_not_declared_bfdot
    .type   feature_not_declared_bfdot, %function
feature_not_declared_bfdot:
    movi    v2.4s, #0
    sub     x3, x3, #16
1:
    ldr     q0, [x0], #16
    ldr     q1, [x1], #16
    subs    x3, x3, #16
    bfdot   v2.4s, v0.8h, v1.8h
    b.hs    1b
    mov     w4, v2.s[0]
    mov     w5, v2.s[3]
    add     w4, w4, w5
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
    .size   feature_not_declared_bfdot, . - feature_not_declared_bfdot

    .section .note.GNU-stack,"",%progbits
