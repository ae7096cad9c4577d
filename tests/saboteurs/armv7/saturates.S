/*toml
summary   = "out[i] = a chain of saturating steps of a[i] and b[i], int16 -> int8"
prototype = "void (const int16_t *a, const int16_t *b, int8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "2*n" }
b   = { reg = "r1", read = "2*n" }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [8, 4096], step = 8 }
*/

// Every step meets its limits, -32768 * -32768 and -(-32768) among them, and saturates by design: no lane wraps.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global saturates
    .type   saturates, %function
saturates:
1:
    vld1.16 {d0, d1}, [r0]!
    vld1.16 {d2, d3}, [r1]!
    subs    r3, r3, #8
    vqadd.s16 q2, q0, q1
    vqrdmulh.s16 q3, q0, q1
    vqneg.s16 q2, q2
    vqabs.s16 q3, q3
    vqsub.s16 q2, q2, q3
    vqdmull.s16 q8, d0, d2
    vqdmull.s16 q9, d1, d3
    vqdmlal.s16 q8, d4, d2
    vqmovn.s32 d16, q8
    vqmovn.s32 d17, q9
    vqshl.s16 q8, q8, #3
    vqadd.s16 q2, q2, q8
    vqrshrun.s16 d6, q2, #4
    vqshrn.s16 d4, q2, #2
    vqadd.u8 d4, d4, d6
    vst1.8  {d4}, [r2]!
    bne     1b
    bx      lr
    .size   saturates, . - saturates

    .section .note.GNU-stack,"",%progbits
