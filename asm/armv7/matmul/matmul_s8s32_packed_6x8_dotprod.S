/*toml
extends = "matmul_s8s32_packed_6x8_dotprod.inc"
summary = "c[m][n] = sum_k a[m][k] * b[k][n], int8 x int8 -> int32, both operands packed, vsdot by element"
*/

// Cost of the hot loop, per 6 rows x 8 columns x 16 depths = 768 MACs:
//     48 vsdot, 8 vld1, 2 for the loop = 58 instructions, 0.0755 per MAC.
// The floor is one vsdot for 16 MACs, 48 or 0.0625 per MAC: the sums leave no room to load more than 4 depths at a
// time, which takes one vld1 for each operand. Around the hot loop a tile costs 17 instructions, whatever the depth: 3
// to clear the sums (by loads of zeros, as the loads have the time), 6 to store them, the rest to start over and to
// find that nothing is left over. At a depth of 32 the tile cannot cost less than 96 + 16 + 3 + 6 = 121, 0.0788 per
// MAC.
// The bytes: 224 loaded for 768 MACs, 4 stored for each output, once.
// No prefetch: two ascending streams; that of a comes back from the cache for every 8 columns.

#define KERNEL matmul_s8s32_packed_6x8_dotprod
#include "matmul_s8s32_packed_6x8_dotprod.inc"
