/*toml
summary   = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[2*y+i][2*x+j][k] + bias[o], requantized as in ruy to int8, HWC, 3 channels"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t in_channels, size_t out_channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv8.0-a", "neon"]
stack     = 256
[args]
input        = { reg = "x0", read = { rows = "2*height+1", bytes = "3*(2*width+1)", pitch = "input_pitch" }, layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "x1", read = "32*4*((out_channels+3)//4)", layout = "oc4_taps32", dtype = "int8", range = [-127, 127] }
output       = { reg = "x2", write = { rows = "height", bytes = "width*out_channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "x3", range = [1, 65536] }
width        = { reg = "x4", range = [1, 65536] }
in_channels  = { reg = "x5", range = [3, 3] }
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
// point: twice the output's pixels and one more in each direction. Pitches are the bytes from one row to the next.
//
// For the first layer of a network. The loops, outermost first; the tile is 4 pixels x 4 output channels:
//
//     for each row of the output
//         for each 4 pixels                         then the last 0-3 one at a time
//             gather their windows, 27 bytes each
//             for each 4 output channels            the last 1-3 as 4, of which 1-3 are stored
//                 output[4][4] = bias + windows[4][32] * weights[4][32]
//
// A row of a window has 9 bytes. A window becomes 32 bytes of the frame: the first 8 bytes of each row, the three ninths
// and 5 zeros; from there it is loaded for each 4 output channels, as scaling needs its registers. Weights lie in that
// order, 32 for each output channel, of which the last 5 are 0; output channels are filled up to a multiple of 4.
//
//                                     32 weights of one output channel
//                                           +---------+
//                                 channel 0 | v8  v9  |
//                                         1 | v10 v11 |
//                                         2 | v8  v9  |
//                                         3 | v10 v11 |
//                                           +---------+
//      32 taps       +-------+     +-------------------------+
//            pixel 0 | v0 v1 |     | v16   v20   v24   v28   |        v12-v15: two products added, int16,
//                  1 | v2 v3 |     | v17   v21   v25   v29   |                 on their way into the sums
//                  2 | v4 v5 |     | v18   v22   v26   v30   |
//                  3 | v6 v7 |     | v19   v23   v27   v31   |
//                    +-------+     +-------------------------+
//
// Why weights lie in [-127, 127]: smull and smlal2 add two products in int16. -128 * -127 twice is 32512 and
// -128 * 127 twice is -32512, both int16; only -128 * -128 twice, 32768, is not.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each output channel, filled up to a multiple of 4.
//
// A zero point of the input, z, is the bias's business: bias[o] - z * the sum of the channel's weights. The weights have
// none.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 27 taps = 432 MACs:
//     96 smull, smlal2, saddlp and sadalp, 8 ldp of taps and weights, 12 addp, 36 to turn 16 sums into 16 int8, 4 st1,
//     2 for the loop = 158 instructions, 0.366 per MAC.
// The floor of the sums is three instructions for 16 MACs, 81 or 0.1875 per MAC, and 96 with 27 taps filled up to 32; with
// loads and addp they take 116, 43 % more, of which 15 instructions are for the 5 zeros and 12 to add across, which deeper
// layers do once for many taps. Gathering 4 pixels takes 24 loads, once for all output channels.

    .arch armv8-a
    .text

#define KERNEL conv3x3s2_s8s8_hwc_4x4_ic3_ruy
#define STRIDE 2

#include "include/requantize_ruy.inc"
#include "include/conv3x3_s8s8_hwc_4x4_ic3.inc"
