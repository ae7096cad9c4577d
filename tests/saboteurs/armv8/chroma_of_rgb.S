/*toml
summary   = "out[i] = (112*b[i] - 74*g[i] - 38*r[i] + 128 >> 8) + 128, uint8"
prototype = "void (const uint8_t *r, const uint8_t *g, const uint8_t *b, uint8_t *out)"
isa       = ["armv8.0-a", "neon"]
[args]
r   = { reg = "x0", read = "8" }
g   = { reg = "x1", read = "8" }
b   = { reg = "x2", read = "8" }
out = { reg = "x3", write = "8" }
*/

// Bytes are widened without a sign, and what is taken away makes the sums of 16 bits signed: -28560 to 28560.

    .text
    .p2align 4
    .global chroma_of_rgb
    .type   chroma_of_rgb, %function
chroma_of_rgb:
    ldr     d0, [x0]
    ldr     d1, [x1]
    ldr     d2, [x2]
    uxtl    v0.8h, v0.8b
    uxtl    v1.8h, v1.8b
    uxtl    v2.8h, v2.8b
    movi    v3.8h, #128
    movi    v4.8h, #38
    movi    v5.8h, #74
    movi    v6.8h, #112
    mls     v3.8h, v0.8h, v4.8h
    mls     v3.8h, v1.8h, v5.8h
    mla     v3.8h, v2.8h, v6.8h
    sshr    v3.8h, v3.8h, #8
    movi    v4.8h, #128
    add     v3.8h, v3.8h, v4.8h
    xtn     v3.8b, v3.8h
    str     d3, [x3]
    ret
    .size   chroma_of_rgb, . - chroma_of_rgb

    .section .note.GNU-stack,"",%progbits
