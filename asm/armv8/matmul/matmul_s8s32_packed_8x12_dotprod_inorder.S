/*toml
extends = "matmul_s8s32_packed_8x12_dotprod.inc"
summary = "c[m][n] = sum_k a[m][k] * b[k][n], int8 x int8 -> int32, both operands packed, sdot by element, for in-order cores"
stack   = 144
*/

// For Cortex-A55, which issues two instructions in order: as matmul_s8s32_packed_8x12_dotprod, from the same operands.
//
// What bounds it: this core takes one sdot of 128 bits a cycle, 16 MACs, so 0.0625 cycles per MAC, and beside it one
// instruction that is no such operation. A load of 128 bits issues beside nothing and takes two cycles. So each register of
// operands comes in three parts, which do: the upper half into a general register, the lower half into the vector register,
// `ins` of the upper half four cycles later. For 96 sdot there are 67 others, and the loop takes 96 cycles.
//
// Registers: v4-v7 are 4 columns each, three of them multiplied and the one that was multiplied before loading, so that 8
// sdot use what was loaded 16 sdot before. v0, v1 and v2, v3 are 8 rows in turn. b is asked for 1024 bytes ahead, 5 times
// round the loop; a comes back from the first level for every 12 columns.
//
// Cost of the hot loop, per 8 rows x 12 columns x 16 depths = 1536 MACs:
//     96 sdot, 40 ldr, 20 ins, 3 prfm, 2 add, 2 for the loop = 163 instructions, 0.106 per MAC.
// The floor is one sdot for 16 MACs, 96 or 0.0625 per MAC: what is above it costs no cycle. Around the hot loop a tile costs
// 8 instructions, whatever the depth, as the last time round has less to load: 6 to clear the sums (by loads of zeros), 8 to
// store them, the rest to start over and to find that nothing is left over.
// The bytes: 320 loaded for 1536 MACs.

#define KERNEL matmul_s8s32_packed_8x12_dotprod_inorder
#define AHEAD 1024
#include "matmul_s8s32_packed_8x12_dotprod.inc"
