/*toml
summary   = "out[0] = sum of a, out[1] = number of bytes, int8"
prototype = "void (const int8_t *a, int32_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n" }
out = { reg = "r1", write = "8" }
n   = { reg = "r2", range = [16, 4096], step = 16 }
*/

// Registers that nobody set, set by what comes out the same whatever they held: x ^ x, x - x, x == x.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global cleared_by_itself
    .type   cleared_by_itself, %function
cleared_by_itself:
    veor    q2, q2, q2
    vsub.i32 q3, q3, q3
    vceq.i8 q8, q8, q8                      // all ones
    eor     r12, r12, r12
1:
    vld1.8  {d0, d1}, [r0]!
    subs    r2, r2, #16
    vpaddl.s8 q1, q0
    vpadal.s16 q2, q1
    vneg.s8 q9, q8
    vpaddl.u8 q9, q9
    vpadal.u16 q3, q9
    bne     1b
    vadd.i32 d4, d4, d5
    vadd.i32 d5, d6, d7
    vpadd.i32 d4, d4, d5
    vdup.32 d5, r12
    vadd.i32 d4, d4, d5
    vst1.32 {d4}, [r1]
    bx      lr
    .size   cleared_by_itself, . - cleared_by_itself

    .section .note.GNU-stack,"",%progbits
