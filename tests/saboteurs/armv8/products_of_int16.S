/*toml
summary   = "sum_i a[i] * b[i], int16 x int16 -> int32"
prototype = "int32_t (const int16_t *a, const int16_t *b, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a = { reg = "x0", read = "2*n", range = [-2047, 2047] }
b = { reg = "x1", read = "2*n", range = [-2047, 2047] }
n = { reg = "x2", range = [1, 512] }
*/

// 512 products of up to 2047 * 2047 fit int32.

    .text
    .p2align 4
    .global products_of_int16
    .type   products_of_int16, %function
products_of_int16:
    mov     w4, wzr
1:
    ldrsh   w5, [x0], #2
    ldrsh   w6, [x1], #2
    subs    x2, x2, #1
    madd    w4, w5, w6, w4
    b.ne    1b
    mov     w0, w4
    ret
    .size   products_of_int16, . - products_of_int16

    .section .note.GNU-stack,"",%progbits
