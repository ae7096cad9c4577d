/*toml
summary   = "out[i] = saturate(round(in[i] * multiplier / 2^31 / 2^shift) + zero), int32 -> int8"
prototype = "void (const int32_t *in, int8_t *out, size_t n, int32_t multiplier, int32_t shift, int32_t zero)"
isa       = ["armv8.0-a", "neon"]
[args]
in         = { reg = "x0", read = "4*n" }
out        = { reg = "x1", write = "n" }
n          = { reg = "x2", range = [8, 4096], step = 8 }
multiplier = { reg = "w3", range = [1073741824, 2147483647], step = 12345678 }
shift      = { reg = "w4", range = [1, 31] }
zero       = { reg = "w5", range = [-128, 127] }
*/

// 8 elements a pass; every narrowing step saturates.

    .text
    .p2align 4
    .global rescale_s32_s8
    .type   rescale_s32_s8, %function
rescale_s32_s8:
    neg     w4, w4
    dup     v16.4s, w3
    dup     v17.4s, w4
    dup     v18.8h, w5
1:
    ldp     q0, q1, [x0], #32
    subs    x2, x2, #8
    sqrdmulh v0.4s, v0.4s, v16.4s
    sqrdmulh v1.4s, v1.4s, v16.4s
    srshl   v0.4s, v0.4s, v17.4s
    srshl   v1.4s, v1.4s, v17.4s
    sqxtn   v0.4h, v0.4s
    sqxtn2  v0.8h, v1.4s
    sqadd   v0.8h, v0.8h, v18.8h
    sqxtn   v0.8b, v0.8h
    str     d0, [x1], #8
    b.ne    1b
    ret
    .size   rescale_s32_s8, . - rescale_s32_s8

    .section .note.GNU-stack,"",%progbits
