/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, weights packed, 2 x 2 sums at a time"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv8.2-a", "neon", "i8mm"]
stack     = 128
[args]
input        = { reg = "x0", read = "pixels*in_channels", layout = "hwc", dtype = "int8" }
weights      = { reg = "x1", read = "16*((out_channels+15)//16)*8*((in_channels+7)//8)", layout = "oc16_ic8", dtype = "int8" }
output       = { reg = "x2", write = "4*pixels*out_channels", layout = "hwc", dtype = "int32" }
pixels       = { reg = "x3", range = [1, 1048576] }
in_channels  = { reg = "x4", range = [1, 131071] }
out_channels = { reg = "x5", range = [1, 65536] }
[counts]
macs = "pixels*in_channels*out_channels"
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
//                                      8 input channels of 16 output channels
//                                  +-----+-----+-----+-----+-----+-----+-----+-----+
//                                  | v8  | v9  | v10 | v11 | v12 | v13 | v14 | v15 |   (the first time v9-v12, v12-v15)
//                                  +-----+-----+-----+-----+-----+-----+-----+-----+
//        pixels  +-------------+   +-----+-----+-----+-----+-----+-----+-----+-----+
//          0, 1  | v4 v2 v0 v3 |   | v16 | v17 | v18 | v19 | v20 | v21 | v22 | v23 |
//          2, 3  | v8 v7 v5 v1 |   | v24 | v25 | v26 | v27 | v28 | v29 | v30 | v31 |
//                +-------------+   +-----+-----+-----+-----+-----+-----+-----+-----+
//         8 input channels each      2 pixels x 2 output channels of sums each, int32
//
// All 32 registers are taken. 8 pixels x 8 output channels have as many sums, but 8 rows to load and zip.
//
// Any int8 will do: no sum of products wraps, as 131071 * 128 * 128 = 2 147 467 264 is the last below 2^31.
//
// Cost of the hot loop, per 4 pixels x 16 output channels x 32 input channels = 2048 MACs:
//     64 smmla, 4 ldp, 8 ld1, 8 zips, 2 for the loop = 86 instructions, 0.0420 per MAC.
// The floor is one smmla for 32 MACs, 64 or 0.0313 per MAC. The loads and the zips, which packed pixels would not need,
// stand between: where a layer has few output channels that is cheaper than packing them. Around the hot loop a tile
// costs 39 instructions, whatever the number of input channels: 4 to clear the sums, 20 to part the pixels, 4 to store
// the sums, the rest to move 4 pointers back and to find that nothing is left over.
// The bytes: 640 loaded for 2048 MACs, 4 stored for each output, once.
// No prefetch: 5 ascending streams, of which the weights come back from the cache for every 4 pixels.

    .arch armv8.2-a+i8mm
    .text

in0          .req x0        // pixel 0 of the tile, walks along the input channels
weights      .req x1
out0         .req x2        // output of pixel 0, walks along the output channels
rows         .req x3        // pixels, counts down
in_channels  .req x4
out_channels .req x5
in1          .req x6
in2          .req x7
in3          .req x8
w            .req x9
out1         .req x10
out2         .req x11
out3         .req x12
pitch        .req x13       // 4 * out_channels
channels     .req x14       // input channels left, counts down
left         .req x15       // output channels left, counts down
at           .req x16       // where in a pixel's last bytes

#include "../include/function.inc"
#include "conv1x1_hwc_4x16_i8mm.inc"
#include "../include/sums_of_tile_4x16.inc"

function conv1x1_s8s32_hwc_4x16_i8mm
    sub     sp, sp, #128
    save_vectors_at 64
    stp     xzr, xzr, [sp]                          // 64 bytes of zeros: what the sums start from
    stp     xzr, xzr, [sp, #16]
    stp     xzr, xzr, [sp, #32]
    stp     xzr, xzr, [sp, #48]
    lsl     pitch, out_channels, #2

    conv1x1_hwc_4x16
    restore_vectors_at 64
    add     sp, sp, #128
    ret
end_function conv1x1_s8s32_hwc_4x16_i8mm
