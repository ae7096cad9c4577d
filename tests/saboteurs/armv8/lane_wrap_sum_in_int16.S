// saboteur: lane-wrap at line 31: sums of products stay in int16 from pass to pass
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
    .global lane_wrap_sum_in_int16
    .type   lane_wrap_sum_in_int16, %function
lane_wrap_sum_in_int16:
    movi    v2.8h, #0
    sub     x3, x3, #16
1:
    ldr     q0, [x0], #16
    ldr     q1, [x1], #16
    subs    x3, x3, #16
    smull   v4.8h, v0.8b, v1.8b
    smlal2  v4.8h, v0.16b, v1.16b
    add     v2.8h, v2.8h, v4.8h
    b.hs    1b
    saddlv  s2, v2.8h
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
    .size   lane_wrap_sum_in_int16, . - lane_wrap_sum_in_int16

    .section .note.GNU-stack,"",%progbits
