/*toml
summary   = "out[0] = bias[0] + sum of a, int8 and int32 -> int32"
prototype = "void (const int8_t *a, const int32_t *bias, int32_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a    = { reg = "r0", read = "n" }
bias = { reg = "r1", read = "4", range = [-2147000000, 2147000000] }
out  = { reg = "r2", write = "4" }
n    = { reg = "r3", range = [1, 256] }
*/

// One byte at a time, in a general register: the range of the bias leaves room for 256 of them.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global sum_and_bias
    .type   sum_and_bias, %function
sum_and_bias:
    ldr     r1, [r1]
1:
    ldrsb   r12, [r0], #1
    add     r1, r1, r12
    subs    r3, r3, #1
    bne     1b
    str     r1, [r2]
    bx      lr
    .size   sum_and_bias, . - sum_and_bias

    .section .note.GNU-stack,"",%progbits
