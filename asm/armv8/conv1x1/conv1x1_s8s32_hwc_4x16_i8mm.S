/*toml
extends = "conv1x1_s8s32_hwc_4x16.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, weights packed, 2 x 2 sums at a time"
isa     = ["armv8.2-a", "neon", "i8mm"]
[args]
weights = { read = "16*((out_channels+15)//16)*8*((in_channels+7)//8)", layout = "oc16_ic8" }
*/

// The loops, outermost first; the tile is 4 pixels x 16 output channels:
//
//     for each 4 pixels                     the last 1-3 as 4, of which 1-3 are stored
//         for each 16 output channels       the last 1-15 as 16, of which 1-15 are stored
//             for each 32 input channels    then 16, 8, and the last 1-7 in one go
//                 sums[4][16] += input[4][32] * weights[16][32]
//             output[4][16] = sums
//
// The input is read as it lies in HWC: the input channels of a pixel side by side. The weights lie in panels of 16
// output channels, the last filled up with zeros; within a panel 8 input channels of the first output channel, 8 of the
// second and so on, then the next 8 input channels, the last of them filled up with zeros.
//
// The tile, and where it lives. smmla multiplies 8 input channels of 2 pixels by 8 input channels of 2 output channels
// into 2 x 2 sums. A register of weights is loaded like that; two pixels' input channels, 16 to a register as they are
// loaded, are zipped by eights:
//
//                                       8 input channels of 16 output channels
//                                   +-----+-----+-----+-----+-----+-----+-----+-----+
//                                   | v12 | v13 | v14 | v15 | v4  | v5  | v6  | v7  |
//                                   +-----+-----+-----+-----+-----+-----+-----+-----+
//        pixels  +--------------+   +-----+-----+-----+-----+-----+-----+-----+-----+
//          0, 1  | v8 v9 v10 v11|   | v16 | v17 | v18 | v19 | v20 | v21 | v22 | v23 |
//          2, 3  | v0 v2 v1  v3 |   | v24 | v25 | v26 | v27 | v28 | v29 | v30 | v31 |
//                +--------------+   +-----+-----+-----+-----+-----+-----+-----+-----+
//          8 input channels each      2 pixels x 2 output channels of sums each, int32
//
// All 32 registers are taken. 8 pixels x 8 output channels have as many sums, but 8 rows to load and zip.
//
// Cost of the hot loop, per 4 pixels x 16 output channels x 32 input channels = 2048 MACs:
//     64 smmla, 4 ldp, 8 ld1, 8 zips, 2 for the loop = 86 instructions, 0.0420 per MAC.
// The floor is one smmla for 32 MACs, 64 or 0.0313 per MAC. The loads and the zips, which packed pixels would not need,
// stand between: where a layer has few output channels that is cheaper than packing them. On Neoverse N2 products and zips
// are the work of two ports, 36 cycles, and it takes no more; packed pixels take 33.3. Around the hot loop a tile
// costs 39 instructions, whatever the number of input channels: 4 to clear the sums, 20 to part the pixels, 4 to store
// the sums, the rest to move 4 pointers back and to find that nothing is left over.
// The bytes: 640 loaded for 2048 MACs, 4 stored for each output, once.
// No prefetch: 5 ascending streams, of which the weights come back from the cache for every 4 pixels.

#define KERNEL conv1x1_s8s32_hwc_4x16_i8mm
#include "conv1x1_hwc_4x16_i8mm.inc"

at           .req x16       // where in a pixel's last bytes

#include "conv1x1_s8s32_hwc_4x16.inc"
