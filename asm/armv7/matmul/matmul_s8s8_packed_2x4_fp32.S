/*toml
extends   = "matmul_s8s8_packed_2x4.inc"
summary   = "c[m][n] = sum_k a[m][k] * b[k][n] + bias[n], requantized in float32 as in QNNPACK to int8, both operands packed"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *c, size_t rows, size_t cols, size_t depth, size_t c_pitch, const int32_t *bias, const float *scales, const int16_t *range)"
[args]
scales = { reg = "stack+16", read = "4*4*((cols+3)//4)", layout = "cols4", dtype = "float32", range = [1e-9, 256.0] }
range  = { reg = "stack+20" }
*/

// Cost of the hot loop, per 2 rows x 4 columns x 32 depths = 256 MACs: 54 instructions, 0.211 per MAC, as without
// requantization, 12 % above its floor of 48. Around it a tile costs 59 instructions, 39 of them to turn 8 sums into 8
// int8: 17 to scale, 10 to add the bias, narrow, add the zero point and clamp, the rest to load what that takes.

#define KERNEL matmul_s8s8_packed_2x4_fp32
#define RANGE        (FRAME + 20)
#include "../include/requantize_fp32.inc"
#include "matmul_s8s8_packed_2x4.inc"
