/*toml
summary   = "out[i] = (a[i] + b[i] + 1) / 2, uint8"
prototype = "void (const uint8_t *a, const uint8_t *b, uint8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n" }
b   = { reg = "r1", read = "n" }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [8, 4096], step = 8 }
*/

// Callee-saved registers are kept in caller-saved ones, not on the stack, and come back by another way.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global kept_in_registers
    .type   kept_in_registers, %function
kept_in_registers:
    vmov    d16, r4, r5
    vmov    d17, r11, lr
    vmov    q9, q4
    mov     r4, r0
    mov     r5, r1
    mov     r11, r2
1:
    vld1.8  {d8}, [r4]!
    vld1.8  {d9}, [r5]!
    subs    r3, r3, #8
    vrhadd.u8 d8, d8, d9
    vst1.8  {d8}, [r11]!
    bne     1b
    vmov    q4, q9
    vmov    r11, r12, d17
    vmov    r4, r5, d16
    bx      r12
    .size   kept_in_registers, . - kept_in_registers

    .section .note.GNU-stack,"",%progbits
