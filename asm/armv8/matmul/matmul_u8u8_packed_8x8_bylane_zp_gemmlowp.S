/*toml
extends = "matmul_u8u8_packed_8x8_bylane_zp.inc"
summary = "c[m][n] = sum_k (a[m][k] - a_zero) * (b[k][n] - b_zero) + bias[n], requantized as in gemmlowp and TFLite to uint8"
*/

// The shape of QNNPACK's kernel: 8 rows x 8 columns, zero points taken off as the operands come in, products of int16 in
// int32. No product is too large and no sum needs mending; what that takes is a multiply for 4 MACs, not for 16 / 3. The
// loops and the tile are in matmul_u8u8_packed_8x8_bylane.inc.
//
// Cost of the hot loop, per 8 rows x 8 columns x 4 depths = 256 MACs: 64 smlal, 8 usubl, 8 ldr, 2 add, 2 for the loop
// = 84 instructions, 0.328 per MAC. The floor of this form is one smlal for 4 MACs, 64 or 0.25 per MAC. Around the
// hot loop a tile costs 167 instructions, 138 of them to turn 64 sums into 64 uint8: 88 to scale, 40 to narrow, add
// the zero point and clamp, the rest to load what that takes.

#define KERNEL matmul_u8u8_packed_8x8_bylane_zp_gemmlowp
#include "../include/requantize_gemmlowp.inc"
#include "matmul_u8u8_packed_8x8_bylane_zp.inc"
