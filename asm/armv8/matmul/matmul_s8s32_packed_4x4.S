/*toml
extends = "matmul_s8s32_packed_4x4.inc"
summary = "c[m][n] = sum_k a[m][k] * b[k][n], int8 x int8 -> int32, both operands packed, pairs of products in int16"
*/

// Cost of the hot loop, per 4 rows x 4 columns x 32 depths = 512 MACs:
//     32 smull, 32 smlal2, 32 sadalp, 8 ldp, 2 for the loop = 106 instructions, 0.207 per MAC.
// The floor is three instructions for 16 MACs, 96 or 0.1875 per MAC: 16 registers could be loaded by 4 ld1, which is slower.
//
// What bounds it: dispatch on Cortex-A72, 0.152 cycles per MAC; it takes 0.164. Cores that issue in order have a loop of their
// own, matmul_s8s32_packed_4x4_inorder.
//
// Around the hot loop a tile costs 21 instructions, whatever the depth: 12 to add the sums up across, 4 to store them,
// the rest to start over and to find out how much is left. Nothing is cleared: the first 16 depths are stored as sums,
// not added to them. At a depth of 32 the tile cannot cost less than 96 + 4 + 12 + 4 = 116, 0.227 per MAC.
// The bytes: 256 loaded for 512 MACs, 4 stored for each output, once.
// No prefetch: two ascending streams; that of a comes back from the cache for every 4 columns.

#define KERNEL matmul_s8s32_packed_4x4
#include "matmul_s8s32_packed_4x4.inc"
