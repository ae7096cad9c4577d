/*toml
extends = "conv1x1_s8s32_hwc_2x4.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, weights of 7 bits, for in-order cores"
[args]
weights = { range = [-63, 64] }
*/

// For cores that issue in order, Cortex-A7, A53 and A55, and weights of 7 bits: as conv1x1_s8s32_hwc_2x4_inorder, but four
// products are added in int16 before they are widened.
//
// Why weights lie in [-63, 64]: vmull and three vmlal add four products in int16. 4 * -128 * -63 is 32256 and
// 4 * -128 * 64 is -32768, both int16; 4 * -128 * -64, 32768, is not. So the input may be any int8, and quantization to 7
// bits, [-63, 63], gives such weights. Kernels that add up all input channels in int16 need no vpadal but for the end, and
// are exact for a few channels alone.
//
// What bounds it: Cortex-A53 and A55 take a NEON instruction of 128 bits at a time, vpadal takes its unit for two cycles. So
// 32 MACs take 6 cycles, 0.1875 per MAC. On Cortex-A53 8 of the 24 loads for 256 MACs find room behind vpadal and 16 take a
// cycle each: a bound of 64 cycles, 0.25 per MAC, which the loop takes. On A55, where they issue beside anything, the bound
// is 48, and the loop takes 54. Cortex-A7 has half of the unit: 12 cycles for 32 MACs, 0.375 per MAC; it takes 103 for 96.
//
// Cost of the hot loop, per 2 pixels x 4 output channels x 32 input channels = 256 MACs:
//     8 vmull, 24 vmlal, 8 vpadal, 24 vld1, 4 pld, 2 for the loop = 70 instructions, 0.273 per MAC.
// The floor is five instructions for 32 MACs, 40 or 0.156 per MAC. Around the hot loop a tile costs 22 instructions, whatever
// the number of input channels, as the last time round has no pixels to load: 12 to add the sums up across, 2 to store them,
// 3 to ask for the next rows, the rest to move 6 pointers and to find that nothing is left over.
// The bytes: 192 loaded for 256 MACs, 4 stored for each output, once.

#define KERNEL conv1x1_s8s32_hwc_2x4_w7
#define AHEAD 96
#define FOUR_PRODUCTS
#include "conv1x1_s8s32_hwc_2x4.inc"
