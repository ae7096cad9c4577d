/*toml
extends = "conv1x1_s8s32_hwc_2x4.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, sums kept in registers"
*/

// Cost of the hot loop, per 2 pixels x 4 output channels x 32 input channels = 256 MACs:
//     16 vmull, 16 vmlal, 16 vpadal, 3 loads of 32 bytes, 6 of 16, 2 for the loop = 59 instructions, 0.230 per MAC.
// The floor is three instructions for 16 MACs, 48 or 0.1875 per MAC. 12 x 16 bytes could be loaded in 6, but then weights
// would be waited for: Cortex-A72 takes 47 cycles, 0.184 per MAC, in place of 60. It dispatches three instructions a cycle,
// of which one on 128 bits is two, and multiplies at one port: bounds of 42 and 32 cycles.
// Around the hot loop a tile costs 26 instructions, whatever the number of input channels: 12 to add the sums up across,
// 2 to store them, the rest to move 6 pointers and to find that nothing is left over. Nothing is cleared: the first 32
// input channels are stored as sums, not added to them. With 32 input channels the tile cannot cost less than 48 + 6 +
// 12 + 2 = 68, 0.266 per MAC: conv1x1_s8s32_hwc_4x4_ic32 does such layers with weights in registers.
// The bytes: 192 loaded for 256 MACs, 4 stored for each output, once.
// No prefetch: 6 ascending streams, of which the weights come back from the cache for every 2 pixels.

#define KERNEL conv1x1_s8s32_hwc_2x4
#include "conv1x1_s8s32_hwc_2x4.inc"
