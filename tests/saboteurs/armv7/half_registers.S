/*toml
summary   = "out[i] = a[i] + b[i], which fits, int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n", range = [-64, 63] }
b   = { reg = "r1", read = "n", range = [-64, 63] }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [8, 4096], step = 8 }
*/

// 8 elements are loaded and stored, 16 are added: the high halves of q0 and q1 hold anything, and lose it when they add.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global half_registers
    .type   half_registers, %function
half_registers:
1:
    vld1.8  {d0}, [r0]!
    vld1.8  {d2}, [r1]!
    subs    r3, r3, #8
    vadd.i8 q0, q0, q1
    vst1.8  {d0}, [r2]!
    bne     1b
    bx      lr
    .size   half_registers, . - half_registers

    .section .note.GNU-stack,"",%progbits
