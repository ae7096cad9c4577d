/*toml
extends = "conv1x1_s8s32_hwc_2x4.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, sums kept in registers, for in-order cores"
*/

// For cores that issue in order, Cortex-A7, A53 and A55: as conv1x1_s8s32_hwc_2x4, but loads have room beside the
// products, and what is waited for is begun long before.
//
// What bounds it: Cortex-A53 and A55 take a NEON instruction of 128 bits at a time, vpadal takes its unit for two cycles. So
// 16 MACs take 4 cycles, 0.25 per MAC, whatever the order. Loads of 64 bits come behind vpadal, in whose second cycle
// there is room for one on Cortex-A53, and on A55 beside anything. Of 24 loads for 256 MACs 16 are free on Cortex-A53, so
// that its bound is 72 cycles, 0.281 per MAC; the loop takes 74 there and 66 on A55, where the bound is 64. Cortex-A7 has
// half of the unit: 8 cycles for 16 MACs, of which vpadal takes 4, with room for a load of 2; its bound is 128, 0.5 per
// MAC, and the loop takes 134.
//
// Registers: q0 and q1 are 16 input channels of the two pixels, d4, d5 and d6, d7 16 weights of every other output channel.
// Half of such a register is loaded as soon as it has been multiplied. q4, q5 and q6, q7 are products of every other
// output channel: one pair is added to its sums while the other one is computed, as no product can be used at once.
// Each row is asked for 64 bytes ahead, two times round the loop before its use, and where the next ones start before the
// tile ends.
//
// Cost of the hot loop, per 2 pixels x 4 output channels x 32 input channels = 256 MACs:
//     16 vmull, 16 vmlal, 16 vpadal, 24 vld1, 4 pld, 2 for the loop = 78 instructions, 0.305 per MAC.
// The floor is three instructions for 16 MACs, 48 or 0.1875 per MAC. Around the hot loop a tile costs 23 instructions,
// whatever the number of input channels, as the last time round loads less: 12 to add the sums up across, 2 to store them,
// 3 to ask for the next rows, the rest to move 6 pointers and to find that nothing is left over.
// The bytes: 192 loaded for 256 MACs, 4 stored for each output, once.

#define KERNEL conv1x1_s8s32_hwc_2x4_inorder
#define AHEAD 64
#include "conv1x1_s8s32_hwc_2x4.inc"
