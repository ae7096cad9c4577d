/*toml
summary   = "a[i] = a[i + 8], uint8"
prototype = "void (uint8_t *a, size_t n)"
isa       = ["armv7-a", "neon"]
stack     = 8
[args]
a = { reg = "r0", read = "n", write = "n-8" }
n = { reg = "r1", range = [16, 256] }
*/

// The two places overlap, which memmove allows.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 2
    .global shifted_down
    .type   shifted_down, %function
shifted_down:
    push    {r3, lr}
    sub     r2, r1, #8
    add     r1, r0, #8
    bl      memmove
    pop     {r3, pc}
    .size   shifted_down, . - shifted_down

    .section .note.GNU-stack,"",%progbits
