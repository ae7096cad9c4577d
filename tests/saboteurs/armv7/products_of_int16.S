/*toml
summary   = "sum_i a[i] * b[i], int16 x int16 -> int32"
prototype = "int32_t (const int16_t *a, const int16_t *b, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a = { reg = "r0", read = "2*n", range = [-2047, 2047] }
b = { reg = "r1", read = "2*n", range = [-2047, 2047] }
n = { reg = "r2", range = [1, 512] }
*/

// 512 products of up to 2047 * 2047 fit int32.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global products_of_int16
    .type   products_of_int16, %function
products_of_int16:
    push    {r4, lr}
    mov     r4, #0
1:
    ldrsh   r3, [r0], #2
    ldrsh   r12, [r1], #2
    subs    r2, r2, #1
    smlabb  r4, r3, r12, r4
    bne     1b
    mov     r0, r4
    pop     {r4, pc}
    .size   products_of_int16, . - products_of_int16

    .section .note.GNU-stack,"",%progbits
