/*toml
summary   = "out[0] = sum of a, out[1] = number of bytes, int8"
prototype = "void (const int8_t *a, int32_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
out = { reg = "x1", write = "8" }
n   = { reg = "x2", range = [16, 4096], step = 16 }
*/

// Registers that nobody set, set by what comes out the same whatever they held: x ^ x, x - x, x == x.

    .text
    .p2align 4
    .global cleared_by_itself
    .type   cleared_by_itself, %function
cleared_by_itself:
    eor     v2.16b, v2.16b, v2.16b
    sub     v3.4s, v3.4s, v3.4s
    cmeq    v4.16b, v4.16b, v4.16b          // all ones
    eor     w9, w9, w9
    sub     x10, x10, x10
1:
    ldr     q0, [x0], #16
    subs    x2, x2, #16
    saddlp  v1.8h, v0.16b
    sadalp  v2.4s, v1.8h
    neg     v5.16b, v4.16b
    uaddlp  v5.8h, v5.16b
    uadalp  v3.4s, v5.8h
    b.ne    1b
    addv    s2, v2.4s
    addv    s3, v3.4s
    fmov    w3, s2
    fmov    w4, s3
    add     w3, w3, w9
    add     w4, w4, w10
    stp     w3, w4, [x1]
    ret
    .size   cleared_by_itself, . - cleared_by_itself

    .section .note.GNU-stack,"",%progbits
