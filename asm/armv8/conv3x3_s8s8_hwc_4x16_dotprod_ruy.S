/*toml
summary   = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k] + bias[o], requantized as in ruy to int8, HWC, weights packed, sdot"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t in_channels, size_t out_channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv8.2-a", "neon", "dotprod"]
stack     = 176
[args]
input        = { reg = "x0", read = { rows = "height+2", bytes = "(width+2)*in_channels", pitch = "input_pitch" }, layout = "hwc", dtype = "int8" }
weights      = { reg = "x1", read = "16*((out_channels+15)//16)*3*4*((3*in_channels+3)//4)", layout = "oc16_ic4", dtype = "int8" }
output       = { reg = "x2", write = { rows = "height", bytes = "width*out_channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "x3", range = [1, 65536] }
width        = { reg = "x4", range = [1, 65536] }
in_channels  = { reg = "x5", range = [1, 7281] }
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
// point: a pixel more on each side. Pitches are the bytes from one row to the next.
//
// The loops, outermost first; the tile is 4 pixels x 16 output channels:
//
//     for each row of the output
//         for each 4 pixels                         the last 1-3 as 4, the last one again in place of those not there
//             for each 16 output channels           the last 1-15 as 16, of which 1-15 are stored
//                 for each of the window's 3 rows
//                     for each 32 bytes             then 16, 8, 4 and the last 1-3, filled up with zeros
//                         sums[4][16] += input[4][32] * weights[32][16]
//                 output[4][16] = sums
//
// In HWC a row of the window is a run of 3 * in_channels bytes; nothing is gathered beforehand (im2col). Weights lie in
// panels of 16 output channels, and in a panel row after row of the window: 4 bytes of the run for each channel, then the
// next 4, the last filled up with zeros.
//
//                                    16 output channels, 4 bytes of the run
//                                    +-----+-----+-----+-----+
//                                    | v8  | v9  | v10 | v11 |    in turn with v12-v15
//                                    +-----+-----+-----+-----+
//      32 bytes of a +-------+     +-------------------------+
//   window:  pixel 0 | v0 v1 |     | v16   v17   v18   v19   |
//                  1 | v2 v3 |     | v20   v21   v22   v23   |
//                  2 | v4 v5 |     | v24   v25   v26   v27   |
//                  3 | v6 v7 |     | v28   v29   v30   v31   |
//                    +-------+     +-------------------------+
//
// Any int8 will do: the sums stay below 9 * 7281 * 128 * 128 + 2^29 < 2^31.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each output channel, filled up to a multiple of 16.
//
// A zero point of the input, z, is the bias's business: bias[o] - z * the sum of the channel's weights. The weights have
// none.
//
// Cost of the hot loop, per 4 pixels x 16 output channels x 32 bytes of a run = 2048 MACs:
//     128 sdot, 8 ld1, 4 ldp, 2 for the loop = 142 instructions, 0.0693 per MAC.
// The floor is an sdot for 16 MACs, 128 or 0.0625 per MAC; 11 % above it are the loads. Around the hot loop a tile costs
// 152 instructions where runs have no bytes left over.

    .arch armv8.2-a+dotprod
    .text

#define KERNEL conv3x3_s8s8_hwc_4x16_dotprod_ruy
#define STRIDE 1

#include "include/requantize_ruy.inc"
#include "include/conv3x3_s8s8_hwc_4x16_dotprod.inc"
