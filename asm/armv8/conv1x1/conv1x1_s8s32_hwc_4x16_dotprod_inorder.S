/*toml
extends = "conv1x1_s8s32_hwc_4x16.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, weights packed, sdot by element, for in-order cores"
*/

// For Cortex-A55, which issues two instructions in order: conv1x1_s8s32_hwc_4x16_dotprod, from the same packed weights.
//
// What bounds it: this core takes one sdot of 128 bits a cycle, 16 MACs, so 0.0625 cycles per MAC, and beside it one
// instruction that is no such operation. A load of 128 bits issues beside nothing and takes two cycles. So each register of
// weights comes in three parts, which do: the upper half into a general register, the lower half into the vector
// register, `ins` of the upper half three cycles later or more, as the load takes. For 64 sdot there are 63 others, and the
// loop takes 64 cycles. llvm-mca 19, which lets no load be done before the sdot in front of it, has 0.147 for this loop,
// and 0.114 for that of the other kernel.
//
// Registers: v16-v31 the sums; v8-v11 and v12-v15 the weights of 4 input channels in turn, one four used while the other
// loads; v0, v2, v4, v6 the first 8 of 16 input channels of the 4 pixels, v1, v3, v5, v7 the last 8. Each half of the pixels
// is loaded while the other half is multiplied, so that no register need be copied or halved. The weights are asked for
// 1024 bytes ahead, 4 times round the loop, a line with every 16 sdot: they come from the second level for every 4 pixels.
//
// Cost of the hot loop, per 4 pixels x 16 output channels x 16 input channels = 1024 MACs:
//     64 sdot, 40 ldr, 16 ins, 4 prfm, 1 add, 2 for the loop = 127 instructions, 0.124 per MAC.
// The floor is one sdot for 16 MACs, 64 or 0.0625 per MAC: what is above it costs no cycle. Around the hot loop a tile costs
// 10 instructions, whatever the number of input channels, as the last time round has less to load: 4 to clear the sums (by
// loads of zeros), 4 to store them, the rest to move 4 pointers back and to find that nothing is left over.
// The bytes: 320 loaded for 1024 MACs, 4 stored for each output, once.

#define KERNEL conv1x1_s8s32_hwc_4x16_dotprod_inorder
#define INORDER
#define AHEAD 1024
#include "conv1x1_hwc_4x16_dotprod.inc"
#include "conv1x1_s8s32_hwc_4x16.inc"
