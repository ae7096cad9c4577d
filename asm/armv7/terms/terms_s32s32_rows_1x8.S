/*toml
summary   = "output[r][c] = input[r][c] - zero_b * row_sums[r] - zero_a * column_sums[c] + depth * zero_a * zero_b, int32"
prototype = "void (const int32_t *input, int32_t *output, size_t rows, size_t cols, const int32_t *row_sums, const int32_t *column_sums, const int16_t *points, size_t depth)"
isa       = ["armv7-a", "neon"]
stack     = 36
[args]
input       = { reg = "r0", read = "4*rows*cols", layout = "rows", dtype = "int32", range = [-1073741824, 1073741824] }
output      = { reg = "r1", write = "4*rows*cols", layout = "rows", dtype = "int32" }
rows        = { reg = "r2", range = [1, 1048576] }
cols        = { reg = "r3", range = [1, 1048576] }
row_sums    = { reg = "stack+0", read = "4*rows", dtype = "int32", range = [-1048576, 1048576] }
column_sums = { reg = "stack+4", read = "4*cols", dtype = "int32", range = [-1048576, 1048576] }
points      = { reg = "stack+8", read = "4", layout = "zero_points", dtype = "int16", range = [-255, 255] }
depth       = { reg = "stack+12", range = [1, 4096] }
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
//         for each 8 columns            then for 4, then the last 1-3
//             output[row][8] = input[row][8] - column_sums[8] * zero_a + term of the row
//
// q0, q1 are the sums, q2, q3 those of the columns.
//
// Cost of the hot loop, per 1 row x 8 columns = 8 elements: 2 loads, 2 for the columns, 2 for the row, 1 store, 2 for
// the loop = 9 instructions, 1.125 per element. The floor is 7: all but the loop's.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

input        .req r0
output       .req r1
rows         .req r2        // left, counts down
cols         .req r3
row_sums     .req r4
column_sums  .req r5
left         .req r6        // columns left in the row, counts down
sums         .req r7        // of the columns, walks along them
zero_b       .req r8        // less than 0 where zero_b is more
corner       .req r9        // depth * zero_a * zero_b
of_row       .req r10
points       .req r11
at           .req r12

#include "../include/function.inc"
#include "../include/parts.inc"

// q0 (of 8 columns q0, q1) = q0 - q2 * zero_a + q9, the term of the row; q8 is zero_a
.macro take_terms n
    vmls.i32 q0, q2, q8
  .if \n == 8
    vmls.i32 q1, q3, q8
  .endif
    vadd.i32 q0, q0, q9
  .if \n == 8
    vadd.i32 q1, q1, q9
  .endif
.endm

function terms_s32s32_rows_1x8
    push    {r4-r11, lr}
    ldr     row_sums, [sp, #36]
    ldr     column_sums, [sp, #40]
    ldr     points, [sp, #44]
    ldr     corner, [sp, #48]                       // depth
    ldrsh   zero_b, [points]                        // zero_a first
    vdup.32 q8, zero_b
    mul     corner, corner, zero_b
    ldrsh   zero_b, [points, #2]
    mul     corner, corner, zero_b
    rsb     zero_b, zero_b, #0
.Lrow:
    ldr     of_row, [row_sums], #4
    mla     of_row, of_row, zero_b, corner          // corner - zero_b * the row's sum
    vdup.32 q9, of_row
    mov     sums, column_sums
    subs    left, cols, #8
    blo     .Lfewer_than_eight
.Leight_columns:                                    // the hot loop: 8 elements
    vld1.32 {d0, d1, d2, d3}, [input]!
    vld1.32 {d4, d5, d6, d7}, [sums]!
    subs    left, left, #8
    take_terms 8
    vst1.32 {d0, d1, d2, d3}, [output]!
    bhs     .Leight_columns
.Lfewer_than_eight:
    adds    left, left, #4
    bmi     .Lfewer_than_four
    vld1.32 {d0, d1}, [input]!
    vld1.32 {d4, d5}, [sums]!
    sub     left, left, #4
    take_terms 4
    vst1.32 {d0, d1}, [output]!
.Lfewer_than_four:
    adds    left, left, #4
    beq     .Lnext_row
    vmov.i32 q0, #0
    vmov.i32 q2, #0
    mov     at, input
    load_up_to_3_words d0, d1, at, left
    load_up_to_3_words d4, d5, sums, left
    take_terms 4
    add     input, input, left, lsl #2
    mov     at, output
    add     output, output, left, lsl #2
    store_up_to_3_words at, d0, d1, left
.Lnext_row:
    subs    rows, rows, #1
    bne     .Lrow
    pop     {r4-r11, pc}
end_function terms_s32s32_rows_1x8
