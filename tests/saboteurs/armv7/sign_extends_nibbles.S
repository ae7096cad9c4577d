/*toml
summary   = "out[i] = the low 4 bits of a[i] as a signed number"
prototype = "void (const uint8_t *a, int8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n" }
out = { reg = "r1", write = "n" }
n   = { reg = "r2", range = [16, 4096], step = 16 }
*/

// The shift to the left is there to lose the high bits: bits taken apart are no arithmetic.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global sign_extends_nibbles
    .type   sign_extends_nibbles, %function
sign_extends_nibbles:
1:
    vld1.8  {d0, d1}, [r0]!
    subs    r2, r2, #16
    vshl.i8 q0, q0, #4
    vshr.s8 q0, q0, #4
    vst1.8  {d0, d1}, [r1]!
    bne     1b
    bx      lr
    .size   sign_extends_nibbles, . - sign_extends_nibbles

    .section .note.GNU-stack,"",%progbits
