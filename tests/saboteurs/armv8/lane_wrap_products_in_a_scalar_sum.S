// saboteur: lane-wrap at line 24: two products of int16 may be more than int32 holds
/*toml
summary   = "sum_i a[i] * b[i], int16 x int16 -> int32"
prototype = "int32_t (const int16_t *a, const int16_t *b, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a = { reg = "x0", read = "2*n" }
b = { reg = "x1", read = "2*n" }
n = { reg = "x2", range = [1, 512] }
*/

// Two products of -32768 and -32768 are one more than int32 holds.

    .text
    .p2align 4
    .global lane_wrap_products_in_a_scalar_sum
    .type   lane_wrap_products_in_a_scalar_sum, %function
lane_wrap_products_in_a_scalar_sum:
    mov     w4, wzr
1:
    ldrsh   w5, [x0], #2
    ldrsh   w6, [x1], #2
    subs    x2, x2, #1
    madd    w4, w5, w6, w4
    b.ne    1b
    mov     w0, w4
    ret
    .size   lane_wrap_products_in_a_scalar_sum, . - lane_wrap_products_in_a_scalar_sum

    .section .note.GNU-stack,"",%progbits
