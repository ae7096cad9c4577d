// saboteur: lane-wrap at line 27: the bias may be as large as int32 allows
/*toml
summary   = "out[0] = bias[0] + sum of a, int8 and int32 -> int32"
prototype = "void (const int8_t *a, const int32_t *bias, int32_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a    = { reg = "r0", read = "n" }
bias = { reg = "r1", read = "4", range = [-2147483648, 2147483647] }
out  = { reg = "r2", write = "4" }
n    = { reg = "r3", range = [1, 256] }
*/

// One byte at a time, in a general register: a bias next to the ends of int32 leaves no room.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global lane_wrap_bias_in_a_scalar_sum
    .type   lane_wrap_bias_in_a_scalar_sum, %function
lane_wrap_bias_in_a_scalar_sum:
    ldr     r1, [r1]
1:
    ldrsb   r12, [r0], #1
    add     r1, r1, r12
    subs    r3, r3, #1
    bne     1b
    str     r1, [r2]
    bx      lr
    .size   lane_wrap_bias_in_a_scalar_sum, . - lane_wrap_bias_in_a_scalar_sum

    .section .note.GNU-stack,"",%progbits
