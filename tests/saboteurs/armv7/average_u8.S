/*toml
summary   = "out[i] = (a[i] + b[i] + 1) / 2, uint8"
prototype = "void (const uint8_t *a, const uint8_t *b, uint8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n" }
b   = { reg = "r1", read = "n" }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [8, 4096], step = 8 }
*/

// 8 elements a pass, the sum in uint16: 255 + 255 + 1 needs 9 bits.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global average_u8
    .type   average_u8, %function
average_u8:
1:
    vld1.8  {d0}, [r0]!
    vld1.8  {d1}, [r1]!
    subs    r3, r3, #8
    vaddl.u8 q1, d0, d1
    vrshrn.i16 d2, q1, #1
    vst1.8  {d2}, [r2]!
    bne     1b
    bx      lr
    .size   average_u8, . - average_u8

    .section .note.GNU-stack,"",%progbits
