/*toml
extends   = "matmul_s8s8_packed_4x4.inc"
summary   = "c[m][n] = sum_k a[m][k] * b[k][n] + bias[n], requantized in float32 as in QNNPACK to int8, both operands packed"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *c, size_t rows, size_t cols, size_t depth, size_t c_pitch, const int32_t *bias, const float *scales, const int16_t *range)"
[args]
scales = { reg = "stack+0", read = "4*4*((cols+3)//4)", layout = "cols4", dtype = "float32", range = [1e-9, 256.0] }
range  = { reg = "stack+8" }
*/

// Cost of the hot loop, per 4 rows x 4 columns x 32 depths = 512 MACs: 106 instructions, 0.207 per MAC, as without
// requantization, 10 % above its floor of 96. Around it a tile costs 53 instructions, 32 of them to turn 16 sums into 16
// int8: 4 to add the bias, 12 to scale, 10 to narrow, add the zero point and clamp, the rest to load what that takes.

#define KERNEL matmul_s8s8_packed_4x4_fp32
#include "../include/requantize_fp32.inc"
#include "matmul_s8s8_packed_4x4.inc"
