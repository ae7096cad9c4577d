/*toml
extends = "matmul_u8u8_packed_4x8_bylane_zp.inc"
summary = "c[m][n] = sum_k (a[m][k] - a_zero) * (b[k][n] - b_zero) + bias[n], requantized as in ruy to uint8"
*/

// ruy's product of uint8 with a zero point on either side, in the shape of QNNPACK's kernel: 4 rows x 8 columns, zero
// points taken off as the operands come in, products of int16 in int32. No product is too large and no sum needs mending;
// what that takes is a multiply for 4 MACs, not for 16 / 3. The loops and the tile are in
// matmul_u8u8_packed_4x8_bylane.inc.
//
// Cost of the hot loop, per 4 rows x 8 columns x 4 depths = 128 MACs: 32 vmlal, 6 vsubl, 6 vld1, 2 for the loop = 46
// instructions, 0.359 per MAC. The floor of this form is one vmlal for 4 MACs, 32 or 0.25 per MAC. Around the hot
// loop a tile costs 92 instructions, 62 of them to turn 32 sums into 32 uint8: 29 to scale, 20 to narrow, add the
// zero point and clamp, the rest to load what that takes.

#define KERNEL matmul_u8u8_packed_4x8_bylane_zp_ruy
#define SHIFTS      (FRAME + 20)
#define POINTS      (FRAME + 24)
#include "../include/requantize_ruy.inc"
#include "matmul_u8u8_packed_4x8_bylane_zp.inc"
