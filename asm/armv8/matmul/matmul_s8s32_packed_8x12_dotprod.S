/*toml
extends = "matmul_s8s32_packed_8x12_dotprod.inc"
summary = "c[m][n] = sum_k a[m][k] * b[k][n], int8 x int8 -> int32, both operands packed, sdot by element"
*/

// Cost of the hot loop, per 8 rows x 12 columns x 16 depths = 1536 MACs:
//     96 sdot, 5 ld1, 2 for the loop = 103 instructions, 0.0671 per MAC.
// The floor is one sdot for 16 MACs, 96 or 0.0625 per MAC: 20 registers cannot be loaded in less than 5 ld1. Around the
// hot loop a tile costs 21 instructions, whatever the depth: 6 to clear the sums (by loads of zeros, as the loads have
// the time), 8 to store them, the rest to start over and to find that nothing is left over.
// At a depth of 32 the tile cannot cost less than 192 + 10 + 6 + 8 = 216, 0.0703 per MAC.
// The bytes: 320 loaded for 1536 MACs.

#define KERNEL matmul_s8s32_packed_8x12_dotprod
#include "matmul_s8s32_packed_8x12_dotprod.inc"
