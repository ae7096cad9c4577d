/*toml
extends   = "matmul_s8s8_packed_8x12_dotprod.inc"
summary   = "c[m][n] = sum_k a[m][k] * b[k][n] + bias[n], requantized in float32 as in QNNPACK to int8, both operands packed, sdot by element"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *c, size_t rows, size_t cols, size_t depth, size_t c_pitch, const int32_t *bias, const float *scales, const int16_t *range)"
[args]
scales = { reg = "stack+0", read = "4*12*((cols+11)//12)", layout = "cols12", dtype = "float32", range = [1e-9, 256.0] }
range  = { reg = "stack+8" }
*/

// Cost of the hot loop, per 8 rows x 12 columns x 16 depths = 1536 MACs: 103 instructions, 0.0671 per MAC, as without
// requantization, 7 % above its floor of 96. Around it a tile costs 185 instructions, 153 of them to turn 96 sums into
// 96 int8: 72 to scale, 72 to narrow, add the zero point and clamp, the rest to load what that takes.

#define KERNEL matmul_s8s8_packed_8x12_dotprod_fp32
#include "../include/requantize_fp32.inc"
#include "matmul_s8s8_packed_8x12_dotprod.inc"
