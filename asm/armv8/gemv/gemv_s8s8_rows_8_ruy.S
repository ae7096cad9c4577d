/*toml
extends = "gemv_s8s8_rows_8.inc"
summary = "output[r] = sum_k weights[r][k] * input[k] + bias[r], requantized as in ruy to int8"
[args]
weights = { range = [-127, 127] }
input   = { range = [-128, 127] }
*/

// The loops and the tile are those of gemv_s8s32_rows_8, and so is the reason why no weight is -128; here the sums leave as
// int8. They are safe: 65536 * 128 * 127 + 2^29 < 2^31.
//
// Cost of the hot loop, per 8 rows x 32 elements = 256 MACs: 59 instructions, 0.230 per MAC, as without requantization,
// 5 % above its floor of 56. Around the hot loop a tile costs 74 instructions where nothing is left over.

#define KERNEL gemv_s8s8_rows_8_ruy
#define DOTPROD 0

    .arch armv8-a
    .text

#include "gemv_s8s8_rows_8.inc"
