/*toml
summary   = "output[r] = sum_k weights[r][k] * input[k] + bias[r], requantized as in ruy to int8"
prototype = "void (const int8_t *weights, const int8_t *input, int8_t *output, size_t rows, size_t depth, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
weights      = { reg = "x0", read = "rows*depth", layout = "rows", dtype = "int8", range = [-127, 127] }
input        = { reg = "x1", read = "depth", layout = "flat", dtype = "int8", range = [-128, 127] }
output       = { reg = "x2", write = "rows", layout = "flat", dtype = "int8" }
rows         = { reg = "x3", range = [1, 1048576] }
depth        = { reg = "x4", range = [1, 65536] }
bias         = { reg = "x5", read = "4*8*((rows+7)//8)", layout = "rows8", dtype = "int32", range = [-536870912, 536870912] }
multipliers  = { reg = "x6", read = "4*8*((rows+7)//8)", layout = "rows8", dtype = "int32", range = [1073741824, 2147483647] }
shifts       = { reg = "x7", read = "4*8*((rows+7)//8)", layout = "rows8", dtype = "int32", range = [-31, 7] }
range        = { reg = "stack+0", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
[counts]
macs = "rows*depth"
*/

// The loops and the tile are those of gemv_s8s32_rows_8, and so is the reason why no weight is -128; here the sums leave as
// int8. They are safe: 65536 * 128 * 127 + 2^29 < 2^31.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each row, filled up to a multiple of 8.
//
// A zero point of the input, z, is the bias's business: bias[r] - z * sum_k weights[r][k]. The weights have none.
//
// Cost of the hot loop, per 8 rows x 32 elements = 256 MACs: 59 instructions, 0.230 per MAC, as without requantization,
// 5 % above its floor of 56. Around the hot loop a tile costs 74 instructions where nothing is left over.

    .arch armv8-a
    .text

row0         .req x0        // of the 8, walk along
input        .req x1
output       .req x2
rows         .req x3        // left, counts down
depth        .req x4
bias         .req x5        // these three walk along the rows
multipliers  .req x6
shifts       .req x7
row1         .req x8
row2         .req x9
row3         .req x10
row4         .req x11
row5         .req x12
row6         .req x13
row7         .req x14
x            .req x15       // walks along the input
count        .req x16       // elements left, counts down
range        .req x17

t0           .req v2        // free while sums are scaled
t1           .req v3
t3           .req v5
zero         .req v24       // for the output
lowest       .req v25
highest      .req v26

#define DOTPROD 0

#include "../include/function.inc"
#include "gemv_rows_8.inc"
#include "../include/requantize_ruy.inc"
#include "requantized_8_rows.inc"

function gemv_s8s8_rows_8_ruy
    ldr     range, [sp]
    gemv_rows_8
    ret
end_function gemv_s8s8_rows_8_ruy
