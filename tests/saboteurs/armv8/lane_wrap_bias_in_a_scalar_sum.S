// saboteur: lane-wrap at line 23: the bias may be as large as int32 allows
/*toml
summary   = "out[0] = bias[0] + sum of a, int8 and int32 -> int32"
prototype = "void (const int8_t *a, const int32_t *bias, int32_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a    = { reg = "x0", read = "n" }
bias = { reg = "x1", read = "4", range = [-2147483648, 2147483647] }
out  = { reg = "x2", write = "4" }
n    = { reg = "x3", range = [1, 256] }
*/

// One byte at a time, in a general register: a bias next to the ends of int32 leaves no room.

    .text
    .p2align 4
    .global lane_wrap_bias_in_a_scalar_sum
    .type   lane_wrap_bias_in_a_scalar_sum, %function
lane_wrap_bias_in_a_scalar_sum:
    ldr     w4, [x1]
1:
    ldrsb   w5, [x0], #1
    add     w4, w4, w5
    subs    x3, x3, #1
    b.ne    1b
    str     w4, [x2]
    ret
    .size   lane_wrap_bias_in_a_scalar_sum, . - lane_wrap_bias_in_a_scalar_sum

    .section .note.GNU-stack,"",%progbits
