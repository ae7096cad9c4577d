/*toml
summary   = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k] + bias[o], requantized as in ruy to int8, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t in_channels, size_t out_channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv8.0-a", "neon"]
stack     = 192
[args]
input        = { reg = "x0", read = { rows = "height+2", bytes = "(width+2)*in_channels", pitch = "input_pitch" }, layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "x1", read = "9*out_channels*in_channels", layout = "oc_kh_kw_ic", dtype = "int8", range = [-127, 127] }
output       = { reg = "x2", write = { rows = "height", bytes = "width*out_channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "x3", range = [1, 65536] }
width        = { reg = "x4", range = [1, 65536] }
in_channels  = { reg = "x5", range = [1, 7281] }
out_channels = { reg = "x6", range = [1, 65536] }
input_pitch  = { reg = "x7", range = [1, 16777216] }
output_pitch = { reg = "stack+0", range = [1, 16777216] }
bias         = { reg = "stack+8", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [-536870912, 536870912] }
multipliers  = { reg = "stack+16", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [1073741824, 2147483647] }
shifts       = { reg = "stack+24", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [-31, 7] }
range        = { reg = "stack+32", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
[counts]
macs = "9*height*width*in_channels*out_channels"
*/

// Height and width are the output's. The input is an image with its padding around it, which holds the input's zero
// point: a pixel more on each side. Pitches are the bytes from one row to the next.
//
// The loops, outermost first; the tile is 4 pixels x 4 output channels:
//
//     for each row of the output
//         for each 4 pixels                         then the last 0-3 one at a time
//             for each 4 output channels            the last 1-3 as 4, of which 1-3 are stored
//                 for each of the window's 3 rows
//                     for each 32 bytes             then 16, then the last 0-15 in one go
//                         sums[4][4] += input[4][32] * weights[4][32]
//                 output[4][4] = sums
//
// In HWC a row of the window is a run of 3 * in_channels bytes, and so are the weights that meet it: both sides of the
// product load as they are, as in conv1x1_s8s32_hwc_4x4, whose tile this is; nothing is gathered beforehand (im2col).
//
//                                     32 weights of one output channel
//                                           +---------+
//                                 channel 0 | v8  v9  |
//                                         1 | v10 v11 |
//                                         2 | v8  v9  |
//                                         3 | v10 v11 |
//                                           +---------+
//      32 bytes of a +-------+     +-------------------------+
//   window:  pixel 0 | v0 v1 |     | v16   v20   v24   v28   |        v12-v15: two products added, int16,
//                  1 | v2 v3 |     | v17   v21   v25   v29   |                 on their way into the sums
//                  2 | v4 v5 |     | v18   v22   v26   v30   |
//                  3 | v6 v7 |     | v19   v23   v27   v31   |
//                    +-------+     +-------------------------+
//
// Why weights lie in [-127, 127]: smull and smlal2 add two products in int16. -128 * -127 twice is 32512 and
// -128 * 127 twice is -32512, both int16; only -128 * -128 twice, 32768, is not. The int32 sums are safe:
// 9 * 7281 * 128 * 127 + 2^29 < 2^31.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each output channel, filled up to a multiple of 4.
//
// A zero point of the input, z, is the bias's business: bias[o] - z * the sum of the channel's weights. The weights have
// none.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 32 bytes of a run = 512 MACs:
//     32 smull, 32 smlal2, 32 sadalp, 8 ldp, 2 for the loop = 106 instructions, 0.207 per MAC.
// The floor is three instructions for 16 MACs, 96 or 0.1875 per MAC; 10 % above it are the loads: 16 of 16 bytes cannot
// feed 512 MACs in less than 8 ldp. Around the hot loop a tile costs 109 instructions where runs have no bytes left over.

    .arch armv8-a
    .text

#define KERNEL conv3x3_s8s8_hwc_4x4_ruy
#define STRIDE 1

#include "include/requantize_ruy.inc"
#include "include/conv3x3_s8s8_hwc_4x4.inc"
