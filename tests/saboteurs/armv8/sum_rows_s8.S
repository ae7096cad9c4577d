/*toml
summary   = "sums[r] = sum of the first 16 int8 of row r"
prototype = "void (const int8_t *src, int32_t *sums, int32_t rows, int32_t stride)"
isa       = ["armv8.0-a", "neon"]
[args]
src    = { reg = "x0", read = "(rows - 1)*stride + 16" }
sums   = { reg = "x1", write = "4*rows" }
rows   = { reg = "w2", range = [1, 64] }
stride = { reg = "w3", range = [16, 256] }
*/

// rows and stride are 32-bit: what the upper halves of x2 and x3 hold, nobody promises.

    .text
    .p2align 4
    .global sum_rows_s8
    .type   sum_rows_s8, %function
sum_rows_s8:
1:
    ldr     q0, [x0]
    add     x0, x0, w3, sxtw
    saddlv  h0, v0.16b
    smov    w4, v0.h[0]
    str     w4, [x1], #4
    subs    w2, w2, #1
    b.ne    1b
    ret
    .size   sum_rows_s8, . - sum_rows_s8

    .section .note.GNU-stack,"",%progbits
