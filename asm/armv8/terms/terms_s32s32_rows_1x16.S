/*toml
summary   = "output[r][c] = input[r][c] - zero_b * row_sums[r] - zero_a * column_sums[c] + depth * zero_a * zero_b, int32"
prototype = "void (const int32_t *input, int32_t *output, size_t rows, size_t cols, const int32_t *row_sums, const int32_t *column_sums, const int16_t *points, size_t depth)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
input       = { reg = "x0", read = "4*rows*cols", layout = "rows", dtype = "int32", range = [-1073741824, 1073741824] }
output      = { reg = "x1", write = "4*rows*cols", layout = "rows", dtype = "int32" }
rows        = { reg = "x2", range = [1, 1048576] }
cols        = { reg = "x3", range = [1, 1048576] }
row_sums    = { reg = "x4", read = "4*rows", dtype = "int32", range = [-1048576, 1048576] }
column_sums = { reg = "x5", read = "4*cols", dtype = "int32", range = [-1048576, 1048576] }
points      = { reg = "x6", read = "4", layout = "zero_points", dtype = "int16", range = [-255, 255] }
depth       = { reg = "x7", range = [1, 4096] }
*/

// The four terms of a product of numbers with zero points, as TVM's qnn.conv2d and qnn.dense have them:
//
//     sum (a - zero_a) * (b - zero_b) = sum a * b - zero_b * sum a - zero_a * sum b + depth * zero_a * zero_b
//
// input is the first sum, row_sums is sum a for each row (pixel), column_sums is sum b for each column (output
// channel); points holds zero_a and zero_b; depth is how many products a sum has. In place is allowed: output may be
// input.
//
// The sums of the int32 are safe: 2^30 + 2 * 255 * 2^20 + 4096 * 255^2 < 2^31.
//
// The loops:
//
//     for each row
//         for each 16 columns           then for each 4, then the last 1-3
//             output[row][16] = input[row][16] - column_sums[16] * zero_a + term of the row
//
// v0-v3 are the sums, v4-v7 those of the columns.
//
// Cost of the hot loop, per 1 row x 16 columns = 16 elements: 2 loads, 4 for the columns, 4 for the row, 1 store, 2 for
// the loop = 13 instructions, 0.812 per element. The floor is 11: all but the loop's.

    .arch armv8-a
    .text

input        .req x0
output       .req x1
rows         .req x2        // left, counts down
cols         .req x3
row_sums     .req x4
column_sums  .req x5
points       .req x6
corner       .req w7        // depth * zero_a * zero_b
left         .req x8        // columns left in the row, counts down
sums         .req x9        // of the columns, walks along them
zero_b       .req w10
of_row       .req w11
at           .req x12
zero_a       .req v16
row          .req v17       // corner - zero_b * the row's sum

#include "../include/function.inc"
#include "../include/columns.inc"
#include "../include/parts.inc"

// v0 (of 16 columns v0-v3) = v0 - v4 * zero_a + row
.macro take_terms n
    mls     v0.4s, v4.4s, zero_a.4s
  .if \n == 16
    mls     v1.4s, v5.4s, zero_a.4s
    mls     v2.4s, v6.4s, zero_a.4s
    mls     v3.4s, v7.4s, zero_a.4s
  .endif
    add     v0.4s, v0.4s, row.4s
  .if \n == 16
    add     v1.4s, v1.4s, row.4s
    add     v2.4s, v2.4s, row.4s
    add     v3.4s, v3.4s, row.4s
  .endif
.endm

function terms_s32s32_rows_1x16
    ldrsh   zero_b, [points]                        // zero_a first
    dup     zero_a.4s, zero_b
    mul     corner, corner, zero_b
    ldrsh   zero_b, [points, #2]
    mul     corner, corner, zero_b
.Lrow:
    ldr     of_row, [row_sums], #4
    msub    of_row, of_row, zero_b, corner
    dup     row.4s, of_row
    mov     sums, column_sums
    subs    left, cols, #16
    b.lo    .Lfewer_than_sixteen
.Lsixteen_columns:                                  // the hot loop: 16 elements
    ld1     {v0.4s, v1.4s, v2.4s, v3.4s}, [input], #64
    ld1     {v4.4s, v5.4s, v6.4s, v7.4s}, [sums], #64
    subs    left, left, #16
    take_terms 16
    st1     {v0.4s, v1.4s, v2.4s, v3.4s}, [output], #64
    b.hs    .Lsixteen_columns
.Lfewer_than_sixteen:
    adds    left, left, #12
    b.mi    .Lfewer_than_four
.Lfour_columns:                                     // 4 elements
    ld1     {v0.4s}, [input], #16
    ld1     {v4.4s}, [sums], #16
    subs    left, left, #4
    take_terms 4
    st1     {v0.4s}, [output], #16
    b.hs    .Lfour_columns
.Lfewer_than_four:
    adds    left, left, #4
    b.eq    .Lnext_row
    load_up_to_3_words 0, input, left
    load_up_to_3_words 4, sums, left
    take_terms 4
    add     input, input, left, lsl #2
    add     at, output, left, lsl #2
    store_up_to_3_words output, v0, left
    mov     output, at
.Lnext_row:
    subs    rows, rows, #1
    b.ne    .Lrow
    ret
end_function terms_s32s32_rows_1x16
