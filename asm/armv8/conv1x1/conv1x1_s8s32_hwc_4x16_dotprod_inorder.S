/*toml
extends = "conv1x1_s8s32_hwc_4x16.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, weights packed, sdot by element, for in-order cores"
*/

// The loops, outermost first; the tile is 4 pixels x 16 output channels:
//
//     for each 4 pixels                     the last 1-3 as 4, of which 1-3 are stored
//         for each 16 output channels       the last 1-15 as 16, of which 1-15 are stored
//             for each 32 input channels    then 16, 8, 4, and the last 1-3 in one go
//                 sums[4][16] += input[4][32] * weights[16][32]
//             output[4][16] = sums
//
// The input is read as it lies in HWC: the input channels of a pixel side by side. The weights lie in panels of 16
// output channels, the last filled up with zeros; within a panel 4 input channels of the first output channel, 4 of the
// second and so on, then the next 4 input channels, the last of them filled up with zeros.
//
// The tile, and where it lives. A register of weights holds 4 input channels of 4 output channels, one of the input 16
// input channels of a pixel. sdot by element multiplies 4 output channels by 4 of those 16, and adds up the 4:
//
//                                    4 input channels of 16 output channels
//                                  +-------+-------+-------+-------+
//                                  |  v8   |  v9   |  v10  |  v11  |   v12-v15 for the next 4, in turn
//                                  +-------+-------+-------+-------+
//                     +-------+    +-------+-------+-------+-------+
//             pixel 0 | v0 v1 |    |  v16  |  v17  |  v18  |  v19  |
//                   1 | v2 v3 |    |  v20  |  v21  |  v22  |  v23  |
//                   2 | v4 v5 |    |  v24  |  v25  |  v26  |  v27  |
//                   3 | v6 v7 |    |  v28  |  v29  |  v30  |  v31  |
//                     +-------+    +-------+-------+-------+-------+
//             32 input channels      sums, int32
//
// All 32 registers are taken. Sums of 4 x 20 would fit too, with one set of weights and a tile that few numbers of
// channels are a multiple of, to save 1 % of the instructions.
//
// Cost of the hot loop, per 4 pixels x 16 output channels x 32 input channels = 2048 MACs:
//     128 sdot, 4 ldp, 8 ld1, 2 for the loop = 142 instructions, 0.0693 per MAC.
// The floor is one sdot for 16 MACs, 128 or 0.0625 per MAC. 4 ldp is what rows that do not lie together take; were they
// packed, 2 ld1 would do. Around the hot loop a tile costs 19 instructions, whatever the number of input channels: 4 to
// clear the sums (by loads of zeros, as the loads have the time), 4 to store them, the rest to move 4 pointers back and
// to find that nothing is left over.
// The bytes: 640 loaded for 2048 MACs, 4 stored for each output, once.
// No prefetch: 5 ascending streams, of which the weights come back from the cache for every 4 pixels. They load 4 input
// channels ahead, as a core that issues in order would wait for what is wanted at once.

#define KERNEL conv1x1_s8s32_hwc_4x16_dotprod_inorder
#define INORDER
#define AHEAD 1024
#include "conv1x1_hwc_4x16_dotprod.inc"
#include "conv1x1_s8s32_hwc_4x16.inc"
