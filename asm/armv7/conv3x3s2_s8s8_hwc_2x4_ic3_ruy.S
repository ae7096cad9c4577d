/*toml
summary   = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[2*y+i][2*x+j][k] + bias[o], requantized as in ruy to int8, HWC, 3 channels"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t in_channels, size_t out_channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv7-a", "neon"]
stack     = 188
[args]
input        = { reg = "r0", read = { rows = "2*height+1", bytes = "3*(2*width+1)", pitch = "input_pitch" }, layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "r1", read = "32*4*((out_channels+3)//4)", layout = "oc4_taps32", dtype = "int8", range = [-127, 127] }
output       = { reg = "r2", write = { rows = "height", bytes = "width*out_channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "r3", range = [1, 65536] }
width        = { reg = "stack+0", range = [1, 65536] }
in_channels  = { reg = "stack+4", range = [3, 3] }
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
// point: twice the output's pixels and one more in each direction. Pitches are the bytes from one row to the next.
//
// For the first layer of a network. The loops, outermost first; the tile is 2 pixels x 4 output channels:
//
//     for each row of the output
//         for each 2 pixels                         then the last one
//             gather their windows, 27 bytes each
//             for each 4 output channels            the last 1-3 as 4, of which 1-3 are stored
//                 output[2][4] = bias + windows[2][32] * weights[4][32]
//
// A row of a window has 9 bytes. A window becomes 32 bytes of the frame: the first 8 bytes of each row, the three ninths
// and 5 zeros; from there it is loaded for each 4 output channels, as scaling needs its registers. Weights lie in that
// order, 32 for each output channel, of which the last 5 are 0; output channels are filled up to a multiple of 4.
//
//                                     32 weights of one output channel, one after the other
//                                           +-------+
//                                           | q4 q5 |
//                                           +-------+
//      32 taps       +-------+     +-------------------------+
//            pixel 0 | q0 q1 |     | q8    q10   q12   q14   |        q6, q7: two products added, int16, on their way
//                  1 | q2 q3 |     | q9    q11   q13   q15   |                into the sums
//                    +-------+     +-------------------------+
//
// Why weights lie in [-127, 127]: vmull and vmlal add two products in int16. -128 * -127 twice is 32512 and
// -128 * 127 twice is -32512, both int16; only -128 * -128 twice, 32768, is not.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each output channel, filled up to a multiple of 4.
//
// A zero point of the input, z, is the bias's business: bias[o] - z * the sum of the channel's weights. The weights have
// none.
//
// Cost of the hot loop, per 2 pixels x 4 output channels x 27 taps = 216 MACs:
//     48 vmull, vmlal, vpaddl and vpadal, 6 vld1 of taps and weights, 12 vpadd, 36 to turn 8 sums into 8 int8 and store
//     them, the rest for the loop = 105 instructions, 0.486 per MAC.
// The floor of the sums is three instructions for 16 MACs, 41 or 0.1875 per MAC, and 48 with 27 taps filled up to 32; with
// loads and vpadd they take 66, 61 % more, of which 7 instructions are for the 5 zeros and 12 to add across, which deeper
// layers do once for many taps. Gathering 2 pixels takes 14 instructions and 2 stores, once for all output channels.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

#define KERNEL conv3x3s2_s8s8_hwc_2x4_ic3_ruy
#define STRIDE 2

#include "include/requantize_ruy.inc"
#include "include/conv3x3_s8s8_hwc_2x4_ic3.inc"
