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

// 8 elements a pass; what is added before halving hangs on a comparison of floats.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global float_flags
    .type   float_flags, %function
float_flags:
    vmov.f32 s0, #1.0
    vcmp.f32 s0, #0.0
    mov     r12, #0
    vmrs    APSR_nzcv, fpscr
    movgt   r12, #1
    vdup.16 q2, r12
1:
    vld1.8  {d0}, [r0]!
    vld1.8  {d1}, [r1]!
    subs    r3, r3, #8
    vaddl.u8 q1, d0, d1
    vadd.i16 q1, q1, q2
    vshrn.i16 d2, q1, #1
    vst1.8  {d2}, [r2]!
    bne     1b
    bx      lr
    .size   float_flags, . - float_flags

    .section .note.GNU-stack,"",%progbits
