/*toml
extends = "matmul_s8s8_packed_8x12_dotprod.inc"
summary = "c[m][n] = sum_k a[m][k] * b[k][n] + bias[n], requantized as in ruy to int8, both operands packed, sdot by element"
*/

// Cost of the hot loop, per 8 rows x 12 columns x 16 depths = 1536 MACs: 103 instructions, 0.0671 per MAC, as without
// requantization, 7 % above its floor of 96. Around it a tile costs 201 instructions, 169 of them to turn 96 sums into
// 96 int8: 84 to scale, 72 to narrow, add the zero point and clamp, the rest to load what that takes.

#define KERNEL matmul_s8s8_packed_8x12_dotprod_ruy
#include "../include/requantize_ruy.inc"
#include "matmul_s8s8_packed_8x12_dotprod.inc"
