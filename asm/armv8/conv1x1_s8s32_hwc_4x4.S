/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, sums kept in registers"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv8.0-a", "neon"]
stack     = 80
[args]
input        = { reg = "x0", read = "pixels*in_channels", layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "x1", read = "out_channels*in_channels", layout = "oc_ic", dtype = "int8", range = [-127, 127] }
output       = { reg = "x2", write = "4*pixels*out_channels", layout = "hwc", dtype = "int32" }
pixels       = { reg = "x3", range = [1, 1048576] }
in_channels  = { reg = "x4", range = [1, 65536] }
out_channels = { reg = "x5", range = [1, 65536] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// The loops, outermost first; the tile is 4 pixels x 4 output channels:
//
//     for each 4 pixels                     then the last 0-3 one at a time
//         for each 4 output channels        the last 1-3 as 4, of which 1-3 are stored
//             for each 32 input channels    then 16, then the last 0-15 in one go
//                 sums[4][4] += input[4][32] * weights[4][32]
//             output[4][4] = sums
//
// In HWC the input channels of a pixel lie side by side, as do those of a row of weights: both sides of the product
// load as they are, and nothing is copied across lanes before the end.
//
// The tile, and where it lives:
//
//                                     32 weights of one output channel
//                                           +---------+
//                                 channel 0 | v8  v9  |
//                                         1 | v10 v11 |
//                                         2 | v8  v9  |
//                                         3 | v10 v11 |
//                                           +---------+
//                    +-------+     +-------------------------+
//            pixel 0 | v0 v1 |     | v16   v20   v24   v28   |        v12-v15: two products added, int16,
//                  1 | v2 v3 |     | v17   v21   v25   v29   |                 on their way into the sums
//                  2 | v4 v5 |     | v18   v22   v26   v30   |
//                  3 | v6 v7 |     | v19   v23   v27   v31   |
//                    +-------+     +-------------------------+
//           32 input channels        sums: 4 x int32 each, to be added up
//                                    across when all input channels are in
//
// All 32 registers are taken. A larger tile would not fit, a smaller one would load more for each multiply.
//
// Why weights lie in [-127, 127]: smull and smlal2 add two products in int16. -128 * -127 twice is 32512 and
// -128 * 127 twice is -32512, both int16; only -128 * -128 twice, 32768, is not. The int32 sums are safe:
// 65536 * 128 * 127 = 1 065 353 216.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 32 input channels = 512 MACs:
//     32 smull, 32 smlal2, 32 sadalp, 8 ldp, 2 for the loop = 106 instructions, 0.207 per MAC.
// The floor is three instructions for 16 MACs, 96 or 0.1875 per MAC: 16 loads of 16 bytes cannot feed 512 MACs in less
// than 8 ldp. Around the hot loop a tile costs 29 instructions, whatever the number of input channels: 12 to add the
// sums up across, 4 to store them, the rest to move 8 pointers and to find that nothing is left over. Nothing is cleared:
// the first 32 input channels are stored as sums, not added to them. With 32 input channels the tile cannot cost less
// than 96 + 8 + 12 + 4 = 120, 0.234 per MAC: conv1x1_s8s32_hwc_2x8_ic32 does such layers with weights in registers.
// The bytes: 256 loaded for 512 MACs, 4 stored for each output, once.
// No prefetch: 8 ascending streams, of which the weights come back from the cache for every 4 pixels.

    .arch armv8-a
    .text

input        .req x0        // pixel 0 of the tile, walks along the input channels
weights      .req x1
store        .req x2        // output of pixel 0, walks along the output channels
pixels       .req x3        // counts down
in_channels  .req x4
out_channels .req x5
input1       .req x6
input2       .req x7
input3       .req x8
row0         .req x9        // row of weights, walks along the input channels
row1         .req x10
row2         .req x11
row3         .req x12
store1       .req x13
store2       .req x14
store3       .req x15
channels     .req x16       // input channels left, counts down
outputs      .req x17       // output channels left, counts down
rest         .req x19       // input channels after the blocks of 32
pitch        .req x20       // 4 * out_channels

#include "include/conv1x1_hwc_4x4.inc"
#include "include/sums_of_tile_4x4.inc"

    .p2align 4
    .global conv1x1_s8s32_hwc_4x4
    .type   conv1x1_s8s32_hwc_4x4, %function
conv1x1_s8s32_hwc_4x4:
    stp     d8, d9, [sp, #-80]!
    stp     d10, d11, [sp, #16]
    stp     d12, d13, [sp, #32]
    stp     d14, d15, [sp, #48]
    stp     x19, x20, [sp, #64]
    lsl     pitch, out_channels, #2

    conv1x1_hwc_4x4
    ldp     d10, d11, [sp, #16]
    ldp     d12, d13, [sp, #32]
    ldp     d14, d15, [sp, #48]
    ldp     x19, x20, [sp, #64]
    ldp     d8, d9, [sp], #80
    ret
    .size   conv1x1_s8s32_hwc_4x4, . - conv1x1_s8s32_hwc_4x4

    .section .note.GNU-stack,"",%progbits
