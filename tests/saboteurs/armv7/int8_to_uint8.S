/*toml
summary   = "out[i] = a[i] + 128, int8 -> uint8"
prototype = "void (const int8_t *a, uint8_t *out, uint32_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n" }
out = { reg = "r1", write = "n" }
n   = { reg = "r2", range = [8, 4096], step = 8 }
*/

// Zero points 0 and 128: a constant takes one kind of number to the other.

    .syntax unified
    .fpu    neon
    .text
    .arm
    .p2align 4
    .global int8_to_uint8
    .type   int8_to_uint8, %function
int8_to_uint8:
    vmov.i8 d7, #128
1:
    vld1.8  {d0}, [r0]!
    subs    r2, r2, #8
    vadd.i8 d0, d0, d7
    vst1.8  {d0}, [r1]!
    bne     1b
    bx      lr
    .size   int8_to_uint8, . - int8_to_uint8

    .section .note.GNU-stack,"",%progbits
