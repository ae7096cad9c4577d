/*toml
summary   = "out[i] = a[i] + sum of 16 weights, int8 -> int32"
prototype = "void (const int8_t *a, const int8_t *weights, int32_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
stack     = 8
[args]
a       = { reg = "r0", read = "n" }
weights = { reg = "r1", read = "16" }
out     = { reg = "r2", write = "4*n" }
n       = { reg = "r3", range = [1, 1024] }
*/

// The sum of weights is not worth keeping.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 2
    .global add_sum_of_weights
    .type   add_sum_of_weights, %function
add_sum_of_weights:
    push    {r4, r5}
    vld1.8  {d0, d1}, [r1]
    vpaddl.s8 q0, q0
    vpaddl.s16 q0, q0
    vpadd.i32 d0, d0, d1
    vpadd.i32 d0, d0, d0
    vmov.32 r4, d0[0]
1:
    ldrsb   r5, [r0], #1
    add     r5, r5, r4
    str     r5, [r2], #4
    subs    r3, r3, #1
    bne     1b
    pop     {r4, r5}
    bx      lr
    .size   add_sum_of_weights, . - add_sum_of_weights

    .data
    .p2align 3
last:
    .word   0, 0

    .section .note.GNU-stack,"",%progbits
