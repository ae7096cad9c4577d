/*toml
summary   = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[2*y+i][2*x+j][k] + bias[o], requantized as in ruy to int8, HWC, 3 channels, weights packed, vsdot"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t in_channels, size_t out_channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv8.2-a", "a32", "neon", "dotprod"]
stack     = 252
[args]
input        = { reg = "r0", read = { rows = "2*height+1", bytes = "3*(2*width+1)", pitch = "input_pitch" }, layout = "hwc", dtype = "int8" }
weights      = { reg = "r1", read = "224*((out_channels+7)//8)", layout = "oc8_taps28", dtype = "int8", align = 4 }
output       = { reg = "r2", write = { rows = "height", bytes = "width*out_channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "r3", range = [1, 65536] }
width        = { reg = "stack+0", range = [1, 65536] }
in_channels  = { reg = "stack+4", range = [3, 3] }
out_channels = { reg = "stack+8", range = [1, 65536] }
input_pitch  = { reg = "stack+12", range = [1, 16777216] }
output_pitch = { reg = "stack+16", range = [1, 16777216] }
bias         = { reg = "stack+20", read = "4*8*((out_channels+7)//8)", layout = "oc8", dtype = "int32", range = [-536870912, 536870912] }
multipliers  = { reg = "stack+24", read = "4*8*((out_channels+7)//8)", layout = "oc8", dtype = "int32", range = [1073741824, 2147483647] }
shifts       = { reg = "stack+28", read = "4*8*((out_channels+7)//8)", layout = "oc8", dtype = "int32", range = [-31, 7] }
range        = { reg = "stack+32", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
[counts]
macs = "9*height*width*in_channels*out_channels"
*/

// Height and width are the output's. The input is an image with its padding around it, which holds the input's zero
// point: twice the output's pixels and one more in each direction. Pitches are the bytes from one row to the next.
//
// For the first layer of a network. The loops, outermost first; the tile is 4 pixels x 8 output channels:
//
//     for each row of the output
//         for each 4 pixels                         the last 1-3 as 4, of which 1-3 are stored
//             gather their windows, 27 bytes each
//             for each 8 output channels           the last 1-7 as 8, of which 1-7 are stored
//                 output[4][8] = bias + windows[4][28] * weights[28][8]
//
// A row of a window has 9 bytes. A window becomes 32 bytes of the frame: the first 8 bytes of each row, the three ninths
// and 5 zeros; from there it is loaded for each 8 output channels, as scaling needs all registers. Weights lie in that
// order, 28 of them, of which the last is 0, in panels of 8 output channels: 4 taps of each channel, then the next 4.
//
//                                 8 output channels, 4 taps
//                                         +-------+
//                                         | q4 q5 |    in turn with q6, q7
//                                         +-------+
//     16 of 28 taps  +----+               +---------+
//            pixel 0 | q0 |               | q8  q9  |
//                  1 | q1 |               | q10 q11 |
//                  2 | q2 |               | q12 q13 |
//                  3 | q3 |               | q14 q15 |
//                    +----+               +---------+
//
// Any int8 will do: the sums stay below 27 * 128 * 128 + 2^29 < 2^31.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each output channel, filled up to a multiple of 8.
//
// A zero point of the input, z, is the bias's business: bias[o] - z * the sum of the channel's weights. The weights have
// none.
//
// Cost of the hot loop, per 4 pixels x 8 output channels x 27 taps = 864 MACs:
//     56 vsdot, 12 loads of taps and weights, and what is not sums = 145 instructions, 0.168 per MAC.
// The floor of the sums is a vsdot for 16 MACs, 54 or 0.0625 per MAC; with the 28th tap and the loads they take 71, 31 %
// more. The rest is to start from the bias, and to scale, narrow, clamp and store 32 sums. Gathering 4 pixels takes 28
// instructions and 4 stores, once for all output channels.

    .syntax unified
    .arch   armv8.2-a
    .fpu    neon-fp-armv8
    .arch_extension dotprod
    .arm
    .text

#define KERNEL conv3x3s2_s8s8_hwc_4x8_dotprod_ic3_ruy
#define STRIDE 2

#include "include/requantize_ruy.inc"
#include "include/conv3x3_s8s8_hwc_4x8_dotprod_ic3.inc"
