/*toml
summary   = "out[i] = a[i] - 128, uint8 -> int8"
prototype = "void (const uint8_t *a, int8_t *out, uint32_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n" }
out = { reg = "r1", write = "n" }
n   = { reg = "r2", range = [8, 4096], step = 8 }
*/

// 128 is -128 too, and added comes to the same.

    .syntax unified
    .fpu    neon
    .text
    .arm
    .p2align 4
    .global uint8_to_int8
    .type   uint8_to_int8, %function
uint8_to_int8:
    vmov.i8 d7, #128
1:
    vld1.8  {d0}, [r0]!
    subs    r2, r2, #8
    vadd.i8 d0, d0, d7
    vst1.8  {d0}, [r1]!
    bne     1b
    bx      lr
    .size   uint8_to_int8, . - uint8_to_int8

    .section .note.GNU-stack,"",%progbits
