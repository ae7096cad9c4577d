/*toml
extends = "matmul_s8s32_packed_6x8_dotprod.inc"
summary = "c[m][n] = sum_k a[m][k] * b[k][n], int8 x int8 -> int32, both operands packed, vsdot by element, for in-order cores"
*/

// For Cortex-A55, which issues two instructions in order: as matmul_s8s32_packed_6x8_dotprod, from the same operands.
//
// What bounds it: this core takes one vsdot of 128 bits a cycle, 16 MACs, so 0.0625 cycles per MAC, and beside it one load of
// 64 bits. A load of 128 bits issues beside nothing and takes two cycles. So everything is loaded by halves of registers,
// which in AArch32 have names of their own: 28 loads beside 48 vsdot, and the loop takes 48 cycles.
//
// Registers: the columns in q2 are multiplied first, those in q3 load meanwhile, and then the other way round. d0 and d1 load
// as soon as their last row has been multiplied; rows 4 and 5 are in d2 and d3 in turn. b is asked for 1024 bytes ahead, 8
// times round the loop; a comes back from the first level for every 8 columns.
//
// Cost of the hot loop, per 6 rows x 8 columns x 16 depths = 768 MACs:
//     48 vsdot, 28 vld1, 2 pld, 2 for the loop = 80 instructions, 0.104 per MAC.
// The floor is one vsdot for 16 MACs, 48 or 0.0625 per MAC: what is above it costs no cycle. Around the hot loop a tile costs
// 12 instructions, whatever the depth, as the last time round has less to load: 3 to clear the sums (by loads of zeros), 6 to
// store them, the rest to start over and to find that nothing is left over.
// The bytes: 224 loaded for 768 MACs, 4 stored for each output, once.

#define KERNEL matmul_s8s32_packed_6x8_dotprod_inorder
#define AHEAD 1024
#include "matmul_s8s32_packed_6x8_dotprod.inc"
