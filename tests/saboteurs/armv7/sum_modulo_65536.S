/*toml
summary   = "returned: sum of a modulo 65536, uint16"
prototype = "uint16_t (const uint16_t *a, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a = { reg = "r0", read = "2*n" }
n = { reg = "r1", range = [64, 4096] }
*/

// An element a pass, in a word: what it is modulo 65536 is for uxth to make of it.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global sum_modulo_65536
    .type   sum_modulo_65536, %function
sum_modulo_65536:
    mov     r2, #0
1:
    ldrh    r3, [r0], #2
    subs    r1, r1, #1
    add     r2, r2, r3
    bne     1b
    uxth    r0, r2
    bx      lr
    .size   sum_modulo_65536, . - sum_modulo_65536

    .section .note.GNU-stack,"",%progbits
