/*toml
summary   = "out = sum of a modulo 256, uint8"
prototype = "uint8_t (const uint8_t *a, uint8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
modular   = ["vadd.i8", "vpadd.i8"]
[args]
a   = { reg = "r0", read = "n" }
out = { reg = "r1", write = "1" }
n   = { reg = "r2", range = [16, 4096], step = 16 }
*/

// Sums are kept in 8 bits. What is returned is extended to a word by the move; the word that r0 was before is not.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global narrow_result
    .type   narrow_result, %function
narrow_result:
    vmov.i8 q1, #0
1:
    vld1.8  {d0, d1}, [r0]!
    subs    r2, r2, #16
    vadd.i8 q1, q1, q0
    bne     1b
    vadd.i8 d2, d2, d3
    vpadd.i8 d2, d2, d2
    vpadd.i8 d2, d2, d2
    vpadd.i8 d2, d2, d2
    vst1.8  {d2[0]}, [r1]
    vmov.u8 r0, d2[0]
    bx      lr
    .size   narrow_result, . - narrow_result

    .section .note.GNU-stack,"",%progbits
