/*toml
summary   = "out[i] = a[i] + sum of 16 weights, int8 -> int32"
prototype = "void (const int8_t *a, const int8_t *weights, int32_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
a       = { reg = "x0", read = "n" }
weights = { reg = "x1", read = "16" }
out     = { reg = "x2", write = "4*n" }
n       = { reg = "x3", range = [1, 1024] }
*/

// The sum of weights takes three instructions, and is not worth keeping.

    .text
    .p2align 4
    .global add_sum_of_weights
    .type   add_sum_of_weights, %function
add_sum_of_weights:
    ldr     q0, [x1]
    saddlv  h0, v0.16b
    smov    w4, v0.h[0]
1:
    ldrsb   w5, [x0], #1
    add     w5, w5, w4
    str     w5, [x2], #4
    subs    x3, x3, #1
    b.ne    1b
    ret
    .size   add_sum_of_weights, . - add_sum_of_weights

    .data
    .p2align 3
last:
    .quad   0, 0

    .section .note.GNU-stack,"",%progbits
