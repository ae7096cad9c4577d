/*toml
summary   = "out[i] = (112*b[i] - 74*g[i] - 38*r[i] + 128 >> 8) + 128, uint8"
prototype = "void (const uint8_t *r, const uint8_t *g, const uint8_t *b, uint8_t *out)"
isa       = ["armv7-a", "neon"]
[args]
r   = { reg = "r0", read = "8" }
g   = { reg = "r1", read = "8" }
b   = { reg = "r2", read = "8" }
out = { reg = "r3", write = "8" }
*/

// Bytes are widened without a sign, and what is taken away makes the sums of 16 bits signed: -28560 to 28560.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global chroma_of_rgb
    .type   chroma_of_rgb, %function
chroma_of_rgb:
    vld1.8  {d0}, [r0]
    vld1.8  {d1}, [r1]
    vld1.8  {d2}, [r2]
    vmovl.u8 q8, d0
    vmovl.u8 q9, d1
    vmovl.u8 q10, d2
    vmov.i16 q3, #128
    vmov.i16 q11, #38
    vmov.i16 q12, #74
    vmov.i16 q13, #112
    vmls.i16 q3, q8, q11
    vmls.i16 q3, q9, q12
    vmla.i16 q3, q10, q13
    vshr.s16 q3, q3, #8
    vmov.i16 q11, #128
    vadd.i16 q3, q3, q11
    vmovn.i16 d6, q3
    vst1.8  {d6}, [r3]
    bx      lr
    .size   chroma_of_rgb, . - chroma_of_rgb

    .section .note.GNU-stack,"",%progbits
