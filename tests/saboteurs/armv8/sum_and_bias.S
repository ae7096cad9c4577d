/*toml
summary   = "out[0] = bias[0] + sum of a, int8 and int32 -> int32"
prototype = "void (const int8_t *a, const int32_t *bias, int32_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a    = { reg = "x0", read = "n" }
bias = { reg = "x1", read = "4", range = [-2147000000, 2147000000] }
out  = { reg = "x2", write = "4" }
n    = { reg = "x3", range = [1, 256] }
*/

// One byte at a time, in a general register: the range of the bias leaves room for 256 of them.

    .text
    .p2align 4
    .global sum_and_bias
    .type   sum_and_bias, %function
sum_and_bias:
    ldr     w4, [x1]
1:
    ldrsb   w5, [x0], #1
    add     w4, w4, w5
    subs    x3, x3, #1
    b.ne    1b
    str     w4, [x2]
    ret
    .size   sum_and_bias, . - sum_and_bias

    .section .note.GNU-stack,"",%progbits
