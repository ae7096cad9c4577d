/*toml
summary   = "out = number of i with a[i] = b[i], uint8 -> uint32"
prototype = "void (const uint8_t *a, const uint8_t *b, uint32_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n", range = [0, 1] }
b   = { reg = "r1", read = "n", range = [0, 1] }
out = { reg = "r2", write = "4" }
n   = { reg = "r3", range = [16, 4080], step = 16 }
*/

// A comparison leaves -1 where bytes match; taken away, it counts one. 4080 bytes are 255 a lane, which a byte holds.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global count_matches
    .type   count_matches, %function
count_matches:
    vmov.i8 q2, #0
1:
    vld1.8  {d0, d1}, [r0]!
    vld1.8  {d2, d3}, [r1]!
    subs    r3, r3, #16
    vceq.i8 q0, q0, q1
    vsub.i8 q2, q2, q0
    bne     1b
    vpaddl.u8 q2, q2
    vpaddl.u16 q2, q2
    vadd.i32 d4, d4, d5
    vpadd.i32 d4, d4, d4
    vst1.32 {d4[0]}, [r2]
    bx      lr
    .size   count_matches, . - count_matches

    .section .note.GNU-stack,"",%progbits
