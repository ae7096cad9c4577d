/*toml
summary   = "sums[r] = sum of 16 int8 of row r, rows at a pitch"
prototype = "void (const int8_t *src, int32_t *sums, size_t rows, size_t pitch)"
isa       = ["armv8.0-a", "neon"]
[args]
src   = { reg = "x0", read = { rows = "rows", bytes = "16", pitch = "pitch" } }
sums  = { reg = "x1", write = "4*rows" }
rows  = { reg = "x2", range = [1, 64] }
pitch = { reg = "x3", range = [16, 1048576] }
*/

// One row a pass.

    .text
    .p2align 4
    .global sum_rows_of_a_pitch
    .type   sum_rows_of_a_pitch, %function
sum_rows_of_a_pitch:
1:
    ldr     q0, [x0]
    add     x0, x0, x3
    saddlv  h0, v0.16b
    smov    w4, v0.h[0]
    str     w4, [x1], #4
    subs    x2, x2, #1
    b.ne    1b
    ret
    .size   sum_rows_of_a_pitch, . - sum_rows_of_a_pitch

    .section .note.GNU-stack,"",%progbits
