/*toml
summary   = "returned: whether any of a is negative"
prototype = "bool (const int8_t *a, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a = { reg = "r0", read = "n" }
n = { reg = "r1", range = [1, 4096] }
*/

// An element a pass; callers of a bool test r0 for 1 as well as for 0.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global any_negative
    .type   any_negative, %function
any_negative:
    mov     r2, #0
1:
    ldrsb   r3, [r0], #1
    subs    r1, r1, #1
    add     r2, r2, r3, lsr #31
    bne     1b
    movs    r0, r2
    movne   r0, #1
    bx      lr
    .size   any_negative, . - any_negative

    .section .note.GNU-stack,"",%progbits
