/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, weights packed, sdot by element"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv8.2-a", "neon", "dotprod"]
stack     = 128
[args]
input        = { reg = "x0", read = "pixels*in_channels", layout = "hwc", dtype = "int8" }
weights      = { reg = "x1", read = "16*((out_channels+15)//16)*4*((in_channels+3)//4)", layout = "oc16_ic4", dtype = "int8" }
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
// Any int8 will do: no sum of products wraps, as 131071 * 128 * 128 = 2 147 467 264 is the last below 2^31.
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

    .arch armv8.2-a+dotprod
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

#include "../include/function.inc"
#include "conv1x1_hwc_4x16_dotprod.inc"
#include "../include/sums_of_tile_4x16.inc"

function conv1x1_s8s32_hwc_4x16_dotprod
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
end_function conv1x1_s8s32_hwc_4x16_dotprod
