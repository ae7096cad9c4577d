/*toml
summary   = "output[y][x][c] = sum_ij weights[i][j][c] * input[2*y+i][2*x+j][c], int8 x int8 -> int32, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t height, size_t width, size_t channels, size_t input_pitch, size_t output_pitch)"
isa       = ["armv7-a", "neon"]
stack     = 124
[args]
input        = { reg = "r0", read = { rows = "2*height+1", bytes = "(2*width+1)*channels", pitch = "input_pitch" }, over_read = 7, layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "r1", read = "72*((channels+7)//8)", layout = "c8_pairs4", dtype = "int8", range = [-127, 127] }
output       = { reg = "r2", write = { rows = "height", bytes = "4*width*channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int32" }
height       = { reg = "r3", range = [1, 65536] }
width        = { reg = "stack+0", range = [1, 65536] }
channels     = { reg = "stack+4", range = [1, 65536] }
input_pitch  = { reg = "stack+8", range = [1, 16777216] }
output_pitch = { reg = "stack+12", range = [4, 67108864], step = 4 }
[counts]
macs = "9*height*width*channels"
*/

// Height and width are the output's. The input is an image with its padding around it, which holds the input's zero
// point: twice the output's pixels and one more in each direction. Pitches are the bytes from one row to the next.
//
// The loops, outermost first:
//
//     for each row of the output
//         for each 8 channels               the last 1-7 as 8, of which 1-7 are stored
//             for each 3 pixels             then the last 0-2
//                 sums[8] = the window * weights[9][8], for each pixel
//                 output[8] = sums
//
// Channels lie in lanes. Two taps of one channel lie in neighbouring lanes, so that vpadal, which adds neighbours, can
// add up 4 products in place of the 2 that vaddw can: rows 0 and 1 of each column are zipped as they come in; of row
// 2, columns 0 and 1 are zipped for each pixel, by the same vzip that does for column 1 of rows 0 and 1, and column 2,
// which is the next pixel's column 0, is left alone and loaded to where that pixel needs it. The weights are zipped the
// same way beforehand, 9 vectors for each 8 channels, the last filled up with zeros:
//
//     (row 0, row 1) of column 0, of column 1, of column 2; (column 0, column 1) of row 2; column 2 of row 2
//
// The window, and where it lives, for pixel 0 of 3; pixel 1 has the third column, and two new ones in the others'
// places, and so on round:
//
//                  column 0        column 1        column 2         weights
//               +---------------+---------------+---------------+
//     rows 0, 1 | q1            | q3            | q8            |   q11           q12           q13
//               +---------------+---------------+---------------+
//         row 2 | d7, then q0: columns 0 and 1  | d3            |       (d8, d9)            d10
//               +---------------+---------------+---------------+
//
//     q6, q7, q2: products, int16, as are in the end those in the place of column 1; q14, q15: sums of 8 channels, int32
//
// Why weights lie in [-127, 127]: two products are added in int16. -128 * -127 twice is 32512 and -128 * 127 twice is
// -32512, both int16; only -128 * -128 twice, 32768, is not. The int32 sums cannot overflow: 9 * 128 * 127.
//
// The last 8 channels of a pixel may end up to 7 bytes behind it, and behind a row: what is loaded there goes nowhere.
//
// Cost of the hot loop, per 3 pixels x 8 channels x 9 taps = 216 MACs:
//     27 vmull and vmlal, 12 vpadal, 6 vmovl, 18 vld1, 6 vzip, 3 vst1, 2 for the loop = 74 instructions, 0.343 per MAC.
// The floor of the arithmetic is 15 instructions for a pixel's 72 MACs, 0.208 per MAC: 9 multiplies, and 6 to widen and
// add; without zips it is 18, 0.250 per MAC, be it with vmull, vmlal and vaddw or with vmlal of int16. But two new
// columns a pixel take 6 loads, whatever is done with them: each byte of the input comes in for 2 or 3 products only,
// and 16 channels at a time would halve the loads, but 9 vectors of weights do not fit beside the window. With those
// the floor is 21, 0.292 per MAC, and 17 % above it are 2 zips, which save more than they cost, and the store. Around
// the hot loop a row costs 30 instructions for each 8 channels. The bytes: 48 loaded and 32 stored for 72 MACs.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

#define KERNEL dwconv3x3s2_s8s32_hwc_3x8
#define STRIDE 2

#include "include/dwconv3x3_s8s32_hwc_3x8.inc"
