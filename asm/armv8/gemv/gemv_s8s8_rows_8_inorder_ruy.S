/*toml
extends = "gemv_s8s8_rows_8.inc"
summary = "output[r] = sum_k weights[r][k] * input[k] + bias[r], requantized as in ruy to int8, for in-order cores"
[args]
weights = { range = [-127, 127] }
input   = { range = [-128, 127] }
*/

// The loops and the tile are those of gemv_s8s32_rows_8_inorder, and so is what bounds it: 0.266 cycles per MAC on
// Cortex-A53. The sums leave as int8. They are safe: 65536 * 128 * 127 + 2^29 < 2^31.
//
// Cost of the hot loop, per 8 rows x 32 elements = 256 MACs: 110 instructions, 0.430 per MAC, as without
// requantization. Around it a tile costs 101 instructions where nothing is left over.

#define KERNEL gemv_s8s8_rows_8_inorder_ruy
#define DOTPROD 0
#define AHEAD 64

    .arch armv8-a
    .text

#include "gemv_s8s8_rows_8.inc"
