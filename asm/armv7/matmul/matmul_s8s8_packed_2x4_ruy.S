/*toml
extends = "matmul_s8s8_packed_2x4.inc"
summary = "c[m][n] = sum_k a[m][k] * b[k][n] + bias[n], requantized as in ruy to int8, both operands packed"
*/

// Cost of the hot loop, per 2 rows x 4 columns x 32 depths = 256 MACs: 54 instructions, 0.211 per MAC, as without
// requantization, 12 % above its floor of 48. Around it a tile costs 54 instructions, 34 of them to turn 8 sums into 8
// int8: 9 to scale, 10 to add the bias, narrow, add the zero point and clamp, the rest to load what that takes.

#define KERNEL matmul_s8s8_packed_2x4_ruy
#define SHIFTS       (FRAME + 20)
#define RANGE        (FRAME + 24)
#include "../include/requantize_ruy.inc"
#include "matmul_s8s8_packed_2x4.inc"
