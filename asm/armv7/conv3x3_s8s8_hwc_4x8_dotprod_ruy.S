/*toml
summary   = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k] + bias[o], requantized as in ruy to int8, HWC, weights packed, vsdot"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t in_channels, size_t out_channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv8.2-a", "a32", "neon", "dotprod"]
stack     = 136
[args]
input        = { reg = "r0", read = { rows = "height+2", bytes = "(width+2)*in_channels", pitch = "input_pitch" }, layout = "hwc", dtype = "int8" }
weights      = { reg = "r1", read = "8*((out_channels+7)//8)*3*4*((3*in_channels+3)//4)", layout = "oc8_ic4", dtype = "int8", align = 4 }
output       = { reg = "r2", write = { rows = "height", bytes = "width*out_channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "r3", range = [1, 65536] }
width        = { reg = "stack+0", range = [1, 65536] }
in_channels  = { reg = "stack+4", range = [1, 7281] }
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
// point: a pixel more on each side. Pitches are the bytes from one row to the next.
//
// The loops, outermost first; the tile is 4 pixels x 8 output channels:
//
//     for each row of the output
//         for each 4 pixels                         the last 1-3 as 4, the last one again in place of those not there
//             for each 8 output channels           the last 1-7 as 8, of which 1-7 are stored
//                 for each of the window's 3 rows
//                     for each 16 bytes             then 8, 4 and the last 1-3, filled up with zeros
//                         sums[4][8] += input[4][16] * weights[16][8]
//                 output[4][8] = sums
//
// In HWC a row of the window is a run of 3 * in_channels bytes; nothing is gathered beforehand (im2col). Weights lie in
// panels of 8 output channels, and in a panel row after row of the window: 4 bytes of the run for each channel, then the
// next 4, the last filled up with zeros.
//
//                                 8 output channels, 4 bytes of the run
//                                         +-------+
//                                         | q4 q5 |    in turn with q6, q7
//                                         +-------+
//      16 bytes of a +----+               +---------+
//   window:  pixel 0 | q0 |               | q8  q9  |
//                  1 | q1 |               | q10 q11 |
//                  2 | q2 |               | q12 q13 |
//                  3 | q3 |               | q14 q15 |
//                    +----+               +---------+
//
// Any int8 will do: the sums stay below 9 * 7281 * 128 * 128 + 2^29 < 2^31.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each output channel, filled up to a multiple of 8.
//
// A zero point of the input, z, is the bias's business: bias[o] - z * the sum of the channel's weights. The weights have
// none.
//
// Cost of the hot loop, per 4 pixels x 8 output channels x 16 bytes of a run = 512 MACs:
//     32 vsdot, 2 vldmia, 4 vld1, 2 for the loop = 40 instructions, 0.0781 per MAC.
// The floor is a vsdot for 16 MACs, 32 or 0.0625 per MAC; 25 % above it are the loads, of which a larger tile, for which
// there are no registers, would need fewer. Around the hot loop a tile costs 113 instructions where runs have no bytes
// left over.

    .syntax unified
    .arch   armv8.2-a
    .fpu    neon-fp-armv8
    .arch_extension dotprod
    .arm
    .text

#define KERNEL conv3x3_s8s8_hwc_4x8_dotprod_ruy
#define STRIDE 1

#include "include/requantize_ruy.inc"
#include "include/conv3x3_s8s8_hwc_4x8_dotprod.inc"
