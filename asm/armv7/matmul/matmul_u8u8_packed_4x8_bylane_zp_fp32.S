/*toml
extends   = "matmul_u8u8_packed_4x8_bylane_zp.inc"
summary   = "c[m][n] = sum_k (a[m][k] - a_zero) * (b[k][n] - b_zero) + bias[n], requantized in float32 as in QNNPACK to uint8"
prototype = "void (const uint8_t *a, const uint8_t *b, uint8_t *c, size_t rows, size_t cols, size_t depth, size_t c_pitch, const int32_t *bias, const float *scales, const int16_t *points)"
[args]
scales = { reg = "stack+16", read = "4*8*((cols+7)//8)", layout = "cols8", dtype = "float32", range = [1e-9, 256.0] }
points = { reg = "stack+20" }
*/

// The shape of QNNPACK's kernel: 4 rows x 8 columns, zero points taken off as the operands come in, products of int16 in
// int32. No product is too large and no sum needs mending; what that takes is a multiply for 4 MACs, not for 16 / 3. The
// loops and the tile are in matmul_u8u8_packed_4x8_bylane.inc.
//
// Cost of the hot loop, per 4 rows x 8 columns x 4 depths = 128 MACs: 32 vmlal, 6 vsubl, 6 vld1, 2 for the loop = 46
// instructions, 0.359 per MAC. The floor of this form is one vmlal for 4 MACs, 32 or 0.25 per MAC. Around the hot
// loop a tile costs 110 instructions, 83 of them to turn 32 sums into 32 uint8: 53 to scale, 20 to narrow, add the
// zero point and clamp, the rest to load what that takes.

#define KERNEL matmul_u8u8_packed_4x8_bylane_zp_fp32
#define POINTS      (FRAME + 20)
#include "../include/requantize_fp32.inc"
#include "matmul_u8u8_packed_4x8_bylane_zp.inc"
