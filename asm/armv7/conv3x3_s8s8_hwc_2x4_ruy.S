/*toml
summary   = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k] + bias[o], requantized as in ruy to int8, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t in_channels, size_t out_channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv7-a", "neon"]
stack     = 136
[args]
input        = { reg = "r0", read = { rows = "height+2", bytes = "(width+2)*in_channels", pitch = "input_pitch" }, layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "r1", read = "9*out_channels*in_channels", layout = "oc_kh_kw_ic", dtype = "int8", range = [-127, 127] }
output       = { reg = "r2", write = { rows = "height", bytes = "width*out_channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "r3", range = [1, 65536] }
width        = { reg = "stack+0", range = [1, 65536] }
in_channels  = { reg = "stack+4", range = [1, 7281] }
out_channels = { reg = "stack+8", range = [1, 65536] }
input_pitch  = { reg = "stack+12", range = [1, 16777216] }
output_pitch = { reg = "stack+16", range = [1, 16777216] }
bias         = { reg = "stack+20", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [-536870912, 536870912] }
multipliers  = { reg = "stack+24", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [1073741824, 2147483647] }
shifts       = { reg = "stack+28", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [-31, 7] }
range        = { reg = "stack+32", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
[counts]
macs = "9*height*width*in_channels*out_channels"
*/

// Height and width are the output's. The input is an image with its padding around it, which holds the input's zero
// point: a pixel more on each side. Pitches are the bytes from one row to the next.
//
// The loops, outermost first; the tile is 2 pixels x 4 output channels:
//
//     for each row of the output
//         for each 2 pixels                         then the last one
//             for each 4 output channels            the last 1-3 as 4, of which 1-3 are stored
//                 for each of the window's 3 rows
//                     for each 32 bytes             then 16, then the last 0-15 in one go
//                         sums[2][4] += input[2][32] * weights[4][32]
//                 output[2][4] = sums
//
// In HWC a row of the window is a run of 3 * in_channels bytes, and so are the weights that meet it: both sides of the
// product load as they are, as in conv1x1_s8s32_hwc_2x4, whose tile this is; nothing is gathered beforehand (im2col).
//
//                                     32 weights of one output channel, one after the other
//                                           +-------+
//                                           | q4 q5 |
//                                           +-------+
//      32 bytes of a +-------+     +-------------------------+
//   window:  pixel 0 | q0 q1 |     | q8    q10   q12   q14   |        q6, q7: two products added, int16, on their way
//                  1 | q2 q3 |     | q9    q11   q13   q15   |                into the sums
//                    +-------+     +-------------------------+
//
// Why weights lie in [-127, 127]: vmull and vmlal add two products in int16. -128 * -127 twice is 32512 and
// -128 * 127 twice is -32512, both int16; only -128 * -128 twice, 32768, is not. The int32 sums are safe:
// 9 * 7281 * 128 * 127 + 2^29 < 2^31.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each output channel, filled up to a multiple of 4.
//
// A zero point of the input, z, is the bias's business: bias[o] - z * the sum of the channel's weights. The weights have
// none.
//
// Cost of the hot loop, per 2 pixels x 4 output channels x 32 bytes of a run = 256 MACs:
//     16 vmull, 16 vmlal, 16 vpadal, 6 vld1, 2 for the loop = 56 instructions, 0.219 per MAC.
// The floor is three instructions for 16 MACs, 48 or 0.1875 per MAC; 17 % above it are the loads: 12 of 16 bytes cannot
// feed 256 MACs in less than 6 vld1, and a larger tile would not fit. Around the hot loop a tile costs 96 instructions
// where runs have no bytes left over.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

#define KERNEL conv3x3_s8s8_hwc_2x4_ruy
#define STRIDE 1

#include "include/requantize_ruy.inc"
#include "include/conv3x3_s8s8_hwc_2x4.inc"
