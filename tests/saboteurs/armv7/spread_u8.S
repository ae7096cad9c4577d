/*toml
summary   = "out[i] = largest less smallest of a[row][i], rows of 16 uint8"
prototype = "void (const uint8_t *a, uint8_t *out, size_t rows)"
isa       = ["armv7-a", "neon"]
[args]
a    = { reg = "r0", read = "16*rows" }
out  = { reg = "r1", write = "16" }
rows = { reg = "r2", range = [1, 256] }
*/

// The largest is never below the smallest, so that a byte holds what is between them.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global spread_u8
    .type   spread_u8, %function
spread_u8:
    vmov.i8 q2, #0
    vmov.i8 q3, #255
1:
    vld1.8  {d0, d1}, [r0]!
    subs    r2, r2, #1
    vmax.u8 q2, q2, q0
    vmin.u8 q3, q3, q0
    bne     1b
    vsub.i8 q2, q2, q3
    vst1.8  {d4, d5}, [r1]
    bx      lr
    .size   spread_u8, . - spread_u8

    .section .note.GNU-stack,"",%progbits
