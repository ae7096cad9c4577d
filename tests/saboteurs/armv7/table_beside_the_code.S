/*toml
summary   = "out[i] = bits set in a[i], by a table of 16"
prototype = "void (const uint8_t *a, uint8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n" }
out = { reg = "r1", write = "n" }
n   = { reg = "r2", range = [16, 4096], step = 16 }
*/

// The kernel's own constants lie behind its code and in a literal pool: reading them is no access out of bounds.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global table_beside_the_code
    .type   table_beside_the_code, %function
table_beside_the_code:
    adr     r12, counts
    vld1.8  {d16, d17}, [r12]
    ldr     r12, =0x0f0f0f0f
    vdup.32 q3, r12
1:
    vld1.8  {d0, d1}, [r0]!
    subs    r2, r2, #16
    vshr.u8 q1, q0, #4
    vand    q0, q0, q3
    vtbl.8  d2, {d16, d17}, d2
    vtbl.8  d3, {d16, d17}, d3
    vtbl.8  d0, {d16, d17}, d0
    vtbl.8  d1, {d16, d17}, d1
    vadd.i8 q0, q0, q1
    vst1.8  {d0, d1}, [r1]!
    bne     1b
    bx      lr
    .p2align 4
counts:
    .byte   0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4
    .ltorg
    .size   table_beside_the_code, . - table_beside_the_code

    .section .note.GNU-stack,"",%progbits
