/*toml
summary   = "output[r] = sum_k weights[r][k] * input[k] + bias[r], requantized as in ruy to int8"
prototype = "void (const int8_t *weights, const int8_t *input, int8_t *output, size_t rows, size_t depth, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv8.2-a", "neon", "dotprod"]
stack     = 0
[args]
weights      = { reg = "x0", read = "rows*depth", layout = "rows", dtype = "int8" }
input        = { reg = "x1", read = "depth", layout = "flat", dtype = "int8" }
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

// The loops, outermost first:
//
//     for each 8 rows                       the last 1-7 as 8, the last one again in place of those not there
//         for each 64 elements              then 16, then the last 0-15 in one go, filled up with zeros
//             sums[8] += weights[8][64] * input[64]
//         output[8] = sums
//
// Each weight is used once: the weights stream through, and it is the input that is shared, by 8 rows. More rows would
// save no more than a load of 64 for each 16 of them.
//
//                     64 elements       input: v0-v3
//                   +----------------+
//       row 0, 3, 6 | v4-v7          |  v16, v19, v22
//       row 1, 4, 7 | v24-v27        |  v17, v20, v23
//       row 2, 5    | v28-v31        |  v18, v21
//                   +----------------+  sums: 4 x int32 each, to be added up across at the end
//
// Any int8 will do: the sums stay below 65536 * 128 * 128 + 2^29 < 2^31.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each row, filled up to a multiple of 8.
//
// A zero point of the input, z, is the bias's business: bias[r] - z * sum_k weights[r][k]. The weights have none.
//
// Cost of the hot loop, per 8 rows x 64 elements = 512 MACs:
//     32 sdot, 9 ld1, 2 for the loop = 43 instructions, 0.0840 per MAC.
// The floor is an sdot for 16 MACs, 32 or 0.0625 per MAC, and 8 loads of 64 bytes, as each weight is loaded for one MAC:
// 40 or 0.0781, 8 % below. Around the hot loop a tile costs 74 instructions where nothing is left over.

    .arch armv8.2-a+dotprod
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

#define DOTPROD 1

#include "../include/function.inc"
#include "gemv_rows_8.inc"
#include "../include/requantize_ruy.inc"
#include "requantized_8_rows.inc"

function gemv_s8s8_rows_8_dotprod_ruy
    ldr     range, [sp]
    gemv_rows_8
    ret
end_function gemv_s8s8_rows_8_dotprod_ruy
