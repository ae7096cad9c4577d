/*toml
summary   = "out[i] = (a[i] + b[i] + 1) / 2, uint8"
prototype = "void (const uint8_t *a, const uint8_t *b, uint8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "n" }
n   = { reg = "x3", range = [8, 4096], step = 8 }
*/

// The rounding mode is changed and put back; the cumulative flags of FPSR are cleared, which is anybody's right.

    .text
    .p2align 4
    .global fpcr_restored
    .type   fpcr_restored, %function
fpcr_restored:
    mrs     x9, fpcr
    orr     x10, x9, #(3 << 22)
    msr     fpcr, x10
    msr     fpsr, xzr
1:
    ldr     d0, [x0], #8
    ldr     d1, [x1], #8
    subs    x3, x3, #8
    urhadd  v0.8b, v0.8b, v1.8b
    uqadd   v3.8b, v0.8b, v1.8b             // sets FPSR.QC
    str     d0, [x2], #8
    b.ne    1b
    msr     fpcr, x9
    ret
    .size   fpcr_restored, . - fpcr_restored

    .section .note.GNU-stack,"",%progbits
