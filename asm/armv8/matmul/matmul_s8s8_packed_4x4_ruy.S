/*toml
extends = "matmul_s8s8_packed_4x4.inc"
summary = "c[m][n] = sum_k a[m][k] * b[k][n] + bias[n], requantized as in ruy to int8, both operands packed"
*/

// Cost of the hot loop, per 4 rows x 4 columns x 32 depths = 512 MACs: 106 instructions, 0.207 per MAC, as without
// requantization, 10 % above its floor of 96. Around it a tile costs 57 instructions, 36 of them to turn 16 sums into 16
// int8: 4 to add the bias, 14 to scale, 10 to narrow, add the zero point and clamp, the rest to load what that takes.

#define KERNEL matmul_s8s8_packed_4x4_ruy
#include "../include/requantize_ruy.inc"
#include "matmul_s8s8_packed_4x4.inc"
