// saboteur: fp-control at line 21: the rounding mode is set and left set
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

// 8 elements a pass, the sum in uint16: 255 + 255 + 1 needs 9 bits.

    .text
    .p2align 4
    .global fp_control_rounding_mode
    .type   fp_control_rounding_mode, %function
fp_control_rounding_mode:
    mov     x9, #(3 << 22)
    msr     fpcr, x9
1:
    ldr     d0, [x0], #8
    ldr     d1, [x1], #8
    subs    x3, x3, #8
    uaddl   v2.8h, v0.8b, v1.8b
    rshrn   v2.8b, v2.8h, #1
    str     d2, [x2], #8
    b.ne    1b
    ret
    .size   fp_control_rounding_mode, . - fp_control_rounding_mode

    .section .note.GNU-stack,"",%progbits
