/*toml
summary   = "output[y][x][c] = sum_ij weights[i][j][c] * input[y+i][x+j][c], int8 x int8 -> int32, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t height, size_t width, size_t channels, size_t input_pitch, size_t output_pitch)"
isa       = ["armv7-a", "neon"]
stack     = 124
[args]
input        = { reg = "r0", read = { rows = "height+2", bytes = "(width+2)*channels", pitch = "input_pitch" }, over_read = 7, layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "r1", read = "72*((channels+7)//8)", layout = "c8_pairs3", dtype = "int8", range = [-127, 127] }
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
// point: a pixel more on each side. Pitches are the bytes from one row to the next.
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
// add up 4 products in place of the 2 that vaddw can: rows 0 and 1 of each column are zipped as they come in, and serve
// three pixels. Row 2 is not zipped: each of its pixels is in two windows, and the copies would cost what zips save. The
// weights are zipped the same way beforehand, 9 vectors for each 8 channels, the last filled up with zeros:
//
//     (row 0, row 1) of column 0, of column 1, of column 2; row 2 of column 0, of column 1, of column 2
//
// The window, and where it lives, for pixel 0 of 3; pixel 1 has the
// second and third column and a new one in the first's place, and so on round:
//
//                  column 0        column 1        column 2         weights
//               +---------------+---------------+---------------+
//     rows 0, 1 | q1            | q3            | q8            |   q11           q12           q13
//               +---------------+---------------+---------------+
//         row 2 | d18           | d19           | d20           |   d8            d9            d10
//               +---------------+---------------+---------------+
//
//     q0, q2, q6, q7: products, int16; q14, q15: sums of 8 channels, int32
//
// Why weights lie in [-127, 127]: two products are added in int16. -128 * -127 twice is 32512 and -128 * 127 twice is
// -32512, both int16; only -128 * -128 twice, 32768, is not. The int32 sums cannot overflow: 9 * 128 * 127.
//
// The last 8 channels of a pixel may end up to 7 bytes behind it, and behind a row: what is loaded there goes nowhere.
//
// Cost of the hot loop, per 3 pixels x 8 channels x 9 taps = 216 MACs:
//     27 vmull and vmlal, 12 vpadal, 6 vmovl, 6 vaddw, 9 vld1, 3 vzip, 3 vst1, 2 for the loop = 68 instructions, 0.315 per MAC.
// The floor is 18 instructions for a pixel's 72 MACs, 0.250 per MAC, be it with vmull, vmlal and vaddw or with vmlal of
// int16: the zips of rows 0 and 1 bring it to 17, 0.236, and 33 % above that are 3 loads, a zip and a store for each
// pixel. Were row 2 zipped too, it would be 15, 0.208; that takes 2 copies and a zip. Around the hot loop a row costs 34
// instructions for each 8 channels. The bytes: 24 loaded and 32 stored for 72 MACs.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

#define KERNEL dwconv3x3_s8s32_hwc_3x8
#define STRIDE 1

#include "include/dwconv3x3_s8s32_hwc_3x8.inc"
