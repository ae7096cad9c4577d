// saboteur: lane-wrap at line 29: two products of int16 may be more than int32 holds
/*toml
summary   = "sum_i a[i] * b[i], int16 x int16 -> int32"
prototype = "int32_t (const int16_t *a, const int16_t *b, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a = { reg = "r0", read = "2*n" }
b = { reg = "r1", read = "2*n" }
n = { reg = "r2", range = [1, 512] }
*/

// Two products of -32768 and -32768 are one more than int32 holds.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global lane_wrap_products_in_a_scalar_sum
    .type   lane_wrap_products_in_a_scalar_sum, %function
lane_wrap_products_in_a_scalar_sum:
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
    .size   lane_wrap_products_in_a_scalar_sum, . - lane_wrap_products_in_a_scalar_sum

    .section .note.GNU-stack,"",%progbits
