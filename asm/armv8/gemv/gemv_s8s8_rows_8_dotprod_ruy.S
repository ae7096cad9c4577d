/*toml
extends = "gemv_s8s8_rows_8.inc"
summary = "output[r] = sum_k weights[r][k] * input[k] + bias[r], requantized as in ruy to int8"
isa     = ["armv8.2-a", "neon", "dotprod"]
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
// Cost of the hot loop, per 8 rows x 64 elements = 512 MACs:
//     32 sdot, 9 ld1, 2 for the loop = 43 instructions, 0.0840 per MAC.
// The floor is an sdot for 16 MACs, 32 or 0.0625 per MAC, and 8 loads of 64 bytes, as each weight is loaded for one MAC:
// 40 or 0.0781, 8 % below. Around the hot loop a tile costs 74 instructions where nothing is left over.

#define KERNEL gemv_s8s8_rows_8_dotprod_ruy
#define DOTPROD 1

    .arch armv8.2-a+dotprod
    .text

#include "gemv_s8s8_rows_8.inc"
