/*toml
summary   = "output = (input + bias) * 2^shift * multiplier / 2^31, rounded once, ties upward, as in ruy; + zero point, clamped to int16"
prototype = "void (const int32_t *input, int16_t *output, size_t rows, size_t cols, ptrdiff_t input_pitch, ptrdiff_t output_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
input        = { reg = "x0", read = { rows = "rows", bytes = "4*cols", pitch = "input_pitch" }, layout = "rows", dtype = "int32", range = [-1073741824, 1073741824] }
output       = { reg = "x1", write = { rows = "rows", bytes = "2*cols", pitch = "output_pitch" }, layout = "rows", dtype = "int16" }
rows         = { reg = "x2", range = [1, 1048576] }
cols         = { reg = "x3", range = [1, 1048576] }
input_pitch  = { reg = "x4", range = [-4194304, 4194304], step = 4 }
output_pitch = { reg = "x5", range = [-2097152, 2097152], step = 2 }
bias         = { reg = "x6", read = "4*4*((cols+3)//4)", dtype = "int32", range = [-536870912, 536870912] }
multipliers  = { reg = "x7", read = "4*4*((cols+3)//4)", dtype = "int32", range = [1073741824, 2147483647] }
shifts       = { reg = "stack+0", read = "4*4*((cols+3)//4)", dtype = "int32", range = [-31, 7] }
range        = { reg = "stack+8", read = "6", layout = "zero_lowest_highest", dtype = "int16" }
*/

// The output: (input + bias) times 2^shift * multiplier / 2^31, rounded, + zero point, held to [lowest, highest]; range
// holds these three, the other arrays an element for each column, filled up to a multiple of 4. A zero point of the
// input is the bias's business.
//
// The scheme is ruy's, (x * m + 2^(30-s)) >> (31-s), with one rounding; TFLite's with TFLITE_SINGLE_ROUNDING and TVM's
// UPWARD are the same. No 64-bit product is needed: sqdmulh cuts the product off to (x * m) >> 31, and what it cuts off
// cannot change a rounding shift to the right by at least 1, as ((p >> 31) + 2^(r-1)) >> r = (p + 2^(30+r)) >> (31+r)
// for r >= 1. So s = left - right with right >= 1. Where the shift to the left saturates, the result is at least 2^29
// from 0, and clamped either way.
//
// For sums of int8 x int16, whose output has 16 bits as ruy's has: matmul_s8s16s32_packed_8x12_bylane makes them.
//
// input + bias is safe: 2^30 + 2^29 < 2^31. What is scaled saturates nowhere but there.
//
// The loops:
//
//     for each 16 columns               then for each 4, then the last 1-3
//         for each row
//             output[row][16] = input[row][16], scaled
//
// Cost of the hot loop, per 1 row x 16 columns = 16 elements: 1 load, 4 to add the bias, 12 to scale, 12 to add the
// zero point, narrow and clamp, 1 store, 2 for the loop = 32 instructions, 2.000 per element. The floor is 30: all but
// the loop's.

    .arch armv8-a
    .text

input        .req x0        // first row of the next columns
output       .req x1
rows         .req x2
cols         .req x3        // left, counts down
input_pitch  .req x4        // bytes from one row to the next
output_pitch .req x5
bias         .req x6
multipliers  .req x7
shifts       .req x8
range        .req x9
in           .req x10       // walks down the rows
out          .req x11
count        .req x12       // rows left, counts down
at           .req x13

zero         .req v5        // for the output
lowest       .req v6
highest      .req v7
t0           .req v4        // free
bias0        .req v16       // of the 16 columns
bias1        .req v17
bias2        .req v18
bias3        .req v19
multiplier0  .req v20       // of the 16 columns
multiplier1  .req v21
multiplier2  .req v22
multiplier3  .req v23
left0        .req v24       // shifts to the left
left1        .req v25
left2        .req v26
left3        .req v27
right0       .req v28       // shifts to the right, as numbers below 0
right1       .req v29
right2       .req v30
right3       .req v31

#define TO_INT16

#include "../include/function.inc"
#include "requantize_rows.inc"

.macro load_columns n
    load_each \n, bias, bias
    load_each \n, multiplier, multipliers
    load_each \n, left, shifts
    split_shifts \n, -1
.endm

// x = (x + bias) * 2^(left - right) * multiplier / 2^31
.macro scale n
    each    \n, add, bias
    each    \n, sqshl, left
    each    \n, sqdmulh, multiplier
    each    \n, srshl, right
.endm

function requantize_s32s16_rows_1x16_ruy
    ldr     shifts, [sp, #0]
    ldr     range, [sp, #8]
    requantize_rows
    ret
end_function requantize_s32s16_rows_1x16_ruy
