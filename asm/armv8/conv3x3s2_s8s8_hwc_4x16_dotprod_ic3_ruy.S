/*toml
summary   = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[2*y+i][2*x+j][k] + bias[o], requantized as in ruy to int8, HWC, 3 channels, weights packed, sdot"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t in_channels, size_t out_channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv8.2-a", "neon", "dotprod"]
stack     = 256
[args]
input        = { reg = "x0", read = { rows = "2*height+1", bytes = "3*(2*width+1)", pitch = "input_pitch" }, layout = "hwc", dtype = "int8" }
weights      = { reg = "x1", read = "448*((out_channels+15)//16)", layout = "oc16_taps28", dtype = "int8" }
output       = { reg = "x2", write = { rows = "height", bytes = "width*out_channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "x3", range = [1, 65536] }
width        = { reg = "x4", range = [1, 65536] }
in_channels  = { reg = "x5", range = [3, 3] }
out_channels = { reg = "x6", range = [1, 65536] }
input_pitch  = { reg = "x7", range = [1, 16777216] }
output_pitch = { reg = "stack+0", range = [1, 16777216] }
bias         = { reg = "stack+8", read = "4*16*((out_channels+15)//16)", layout = "oc16", dtype = "int32", range = [-536870912, 536870912] }
multipliers  = { reg = "stack+16", read = "4*16*((out_channels+15)//16)", layout = "oc16", dtype = "int32", range = [1073741824, 2147483647] }
shifts       = { reg = "stack+24", read = "4*16*((out_channels+15)//16)", layout = "oc16", dtype = "int32", range = [-31, 7] }
range        = { reg = "stack+32", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
[counts]
macs = "9*height*width*in_channels*out_channels"
*/

// Height and width are the output's. The input is an image with its padding around it, which holds the input's zero
// point: twice the output's pixels and one more in each direction. Pitches are the bytes from one row to the next.
//
// For the first layer of a network. The loops, outermost first; the tile is 4 pixels x 16 output channels:
//
//     for each row of the output
//         for each 4 pixels                         the last 1-3 as 4, the last one again in place of those not there
//             gather their windows, 27 bytes each
//             for each 16 output channels           the last 1-15 as 16, of which 1-15 are stored
//                 output[4][16] = bias + windows[4][28] * weights[28][16]
//
// A row of a window has 9 bytes. A window becomes 32 bytes of the frame: the first 8 bytes of each row, the three ninths
// and 5 zeros; from there it is loaded for each 16 output channels, as scaling needs all registers. Weights lie in that
// order, 28 of them, of which the last is 0, in panels of 16 output channels: 4 taps of each channel, then the next 4.
//
//                                    16 output channels, 4 taps
//                                    +-----+-----+-----+-----+
//                                    | v8  | v9  | v10 | v11 |    in turn with v12-v15
//                                    +-----+-----+-----+-----+
//      28 taps       +-------+     +-------------------------+
//            pixel 0 | v0 v1 |     | v16   v17   v18   v19   |
//                  1 | v2 v3 |     | v20   v21   v22   v23   |
//                  2 | v4 v5 |     | v24   v25   v26   v27   |
//                  3 | v6 v7 |     | v28   v29   v30   v31   |
//                    +-------+     +-------------------------+
//
// Any int8 will do: the sums stay below 27 * 128 * 128 + 2^29 < 2^31.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each output channel, filled up to a multiple of 16.
//
// A zero point of the input, z, is the bias's business: bias[o] - z * the sum of the channel's weights. The weights have
// none.
//
// Cost of the hot loop, per 4 pixels x 16 output channels x 27 taps = 1728 MACs:
//     112 sdot, 11 loads of taps and weights, 114 for what is not sums, 3 for the loop = 240 instructions, 0.139 per MAC.
// The floor of the sums is an sdot for 16 MACs, 108 or 0.0625 per MAC; with the 28th tap and the loads they take 123,
// 14 % more. The rest is to start from the bias, and to scale, narrow, clamp and store 64 sums. Gathering 4 pixels takes
// 24 loads, once for all output channels.

    .arch armv8.2-a+dotprod
    .text

#define KERNEL conv3x3s2_s8s8_hwc_4x16_dotprod_ic3_ruy
#define STRIDE 2

#include "include/requantize_ruy.inc"
#include "include/conv3x3_s8s8_hwc_4x16_dotprod_ic3.inc"
