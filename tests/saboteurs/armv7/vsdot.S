/*toml
summary   = "out = sum_i a[i] * b[i], int8 x int8 -> int32"
prototype = "void (const int8_t *a, const int8_t *b, int32_t *out, size_t n)"
isa       = ["armv8.2-a", "a32", "neon", "dotprod"]
[args]
a   = { reg = "r0", read = "n" }
b   = { reg = "r1", read = "n" }
out = { reg = "r2", write = "4" }
n   = { reg = "r3", range = [16, 4096], step = 16 }
[counts]
macs = "n"
*/

// Four products a lane go into int32 directly: nothing in between can wrap.

    .syntax unified
    .arch   armv8.2-a
    .fpu    neon-fp-armv8
    .arch_extension dotprod
    .arm
    .text
    .p2align 4
    .global vsdot
    .type   vsdot, %function
vsdot:
    vmov.i32 q8, #0
1:
    vld1.8  {d0, d1}, [r0]!
    vld1.8  {d2, d3}, [r1]!
    subs    r3, r3, #16
    vsdot.s8 q8, q0, q1
    bne     1b
    vadd.i32 d16, d16, d17
    vpadd.i32 d16, d16, d16
    vst1.32 {d16[0]}, [r2]
    bx      lr
    .size   vsdot, . - vsdot

    .section .note.GNU-stack,"",%progbits
