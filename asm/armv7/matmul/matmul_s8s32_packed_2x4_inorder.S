/*toml
extends = "matmul_s8s32_packed_2x4.inc"
summary = "c[m][n] = sum_k a[m][k] * b[k][n], int8 x int8 -> int32, both operands packed, pairs of products in int16, for in-order cores"
*/

// For cores that issue in order, Cortex-A7, A8, A9, A53 and A55: as matmul_s8s32_packed_2x4, from the same operands, but
// loads have room beside the products, and what is waited for is begun long before. Cortex-A15, A57 and A72 gain as well:
// operands of 16 bytes do not hold them up as those of 64 do.
//
// What bounds it: as conv1x1_s8s32_hwc_2x4_inorder, whose loop this is: 72 cycles for 256 MACs on Cortex-A53, 64 on A55 and
// 128 on A7; it takes 74, 66 and 132. Halves of rows lie 8 and 24 bytes apart, those of columns 8: three addresses walk
// through the operands. b is asked for 256 bytes ahead; a comes back from the first level for every 4 columns.
//
// Cost of the hot loop, per 2 rows x 4 columns x 16 depths = 128 MACs:
//     8 vmull, 8 vmlal, 8 vpadal, 12 vld1, 1 pld, 2 for the loop = 39 instructions, 0.305 per MAC.
// The floor is three instructions for 16 MACs, 24 or 0.1875 per MAC. Around the hot loop a tile costs 14 instructions,
// whatever the depth, as the last time round loads less: 12 to add the sums up across, 2 to store them.
// The bytes: 96 loaded for 128 MACs, 4 stored for each output, once.

#define KERNEL matmul_s8s32_packed_2x4_inorder
#define AHEAD 256
#include "matmul_s8s32_packed_2x4.inc"
