/*toml
extends = "matmul_s8s32_packed_2x4.inc"
summary = "c[m][n] = sum_k a[m][k] * b[k][n], int8 x int8 -> int32, both operands packed, pairs of products in int16"
*/

// Cost of the hot loop, per 2 rows x 4 columns x 32 depths = 256 MACs:
//     16 vmull, 16 vmlal, 16 vpadal, 2 vld1, 2 vldm, 2 for the loop = 54 instructions, 0.211 per MAC.
// The floor is three instructions for 16 MACs, 48 or 0.1875 per MAC: of the 12 registers in each pass one vld1 loads 2,
// one vldm 4. Around the hot loop a tile costs 20 instructions, whatever the depth: 12 to add the sums up across, 2 to
// store them, the rest to start over and to find out how much is left. Nothing is cleared: the first 16 depths are
// stored as sums, not added to them. At a depth of 32 the tile cannot cost less than 48 + 4 + 12 + 2 = 66, 0.258 per
// MAC.
// The bytes: 192 loaded for 256 MACs, 4 stored for each output, once.
// No prefetch: two ascending streams; that of a comes back from the cache for every 4 columns.

#define KERNEL matmul_s8s32_packed_2x4
#include "matmul_s8s32_packed_2x4.inc"
