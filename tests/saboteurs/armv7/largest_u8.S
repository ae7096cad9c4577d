/*toml
summary   = "returned: the largest of a, uint8"
prototype = "uint8_t (const uint8_t *a, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a = { reg = "r0", read = "n" }
n = { reg = "r1", range = [8, 4096], step = 8 }
*/

// 8 elements a pass, then the largest of 8.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global largest_u8
    .type   largest_u8, %function
largest_u8:
    vld1.8  {d0}, [r0]!
1:
    subs    r1, r1, #8
    beq     2f
    vld1.8  {d1}, [r0]!
    vmax.u8 d0, d0, d1
    b       1b
2:
    vpmax.u8 d0, d0, d0
    vpmax.u8 d0, d0, d0
    vpmax.u8 d0, d0, d0
    vmov.u8 r0, d0[0]
    bx      lr
    .size   largest_u8, . - largest_u8

    .section .note.GNU-stack,"",%progbits
