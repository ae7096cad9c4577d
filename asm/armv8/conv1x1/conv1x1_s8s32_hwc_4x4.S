/*toml
extends = "conv1x1_s8s32_hwc_4x4.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, sums kept in registers"
*/

// Cost of the hot loop, per 4 pixels x 4 output channels x 32 input channels = 512 MACs:
//     32 smull, 32 smlal2, 32 sadalp, 8 ldp, 2 for the loop = 106 instructions, 0.207 per MAC.
// The floor is three instructions for 16 MACs, 96 or 0.1875 per MAC: 16 loads of 16 bytes cannot feed 512 MACs in less
// than 8 ldp. Cortex-A72 takes 82 cycles, 0.160 per MAC: it multiplies at one port, 64 cycles, and dispatches three
// instructions a cycle, of which one on 128 bits is two, so that 75 is its bound. Around the hot loop a tile costs 33
// instructions, whatever the number of input channels: 12 to add the sums up across, 4 to store them, 4 to ask for the
// third line of each row, the rest to move 8 pointers and to find that nothing is left over. Nothing is cleared: the
// first 32 input channels are stored as sums, not added to them. With 32 input channels the tile cannot cost less
// than 96 + 8 + 12 + 4 = 120, 0.234 per MAC: conv1x1_s8s32_hwc_2x8_ic32 does such layers with weights in registers.
// The bytes: 256 loaded for 512 MACs, 4 stored for each output, once.
// No other prefetch: 8 ascending streams, of which the weights come back from the cache for every 4 pixels.

#define KERNEL conv1x1_s8s32_hwc_4x4
#include "conv1x1_s8s32_hwc_4x4.inc"
