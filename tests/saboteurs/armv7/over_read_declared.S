/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n", over_read = 7 }
b   = { reg = "r1", read = "n", over_read = 7 }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [1, 4096] }
*/

// Inputs are loaded 8 bytes at a time to the end and beyond, as declared; of the last vector only what counts is stored.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global over_read_declared
    .type   over_read_declared, %function
over_read_declared:
1:
    vld1.8  {d0}, [r0]!
    vld1.8  {d1}, [r1]!
    subs    r3, r3, #8
    vqadd.s8 d0, d0, d1
    blo     2f
    vst1.8  {d0}, [r2]!
    bne     1b
    bx      lr
2:
    add     r3, r3, #8
3:
    vst1.8  {d0[0]}, [r2]!
    vext.8  d0, d0, d0, #1
    subs    r3, r3, #1
    bne     3b
    bx      lr
    .size   over_read_declared, . - over_read_declared

    .section .note.GNU-stack,"",%progbits
