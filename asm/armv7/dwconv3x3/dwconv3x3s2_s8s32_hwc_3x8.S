/*toml
extends = "dwconv3x3_s8s32_hwc_3x8.inc"
summary = "output[y][x][c] = sum_ij weights[i][j][c] * input[2*y+i][2*x+j][c], int8 x int8 -> int32, HWC"
[args]
input   = { read = { rows = "2*height+1", bytes = "(2*width+1)*channels" } }
weights = { layout = "c8_pairs4" }
*/

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
// What bounds it: multiplications and additions, one of 128 bits at a time, on Cortex-A53 and A55, 0.285 cycles per MAC, of
// which the hot loop takes 0.403 and 0.412 where nothing misses the cache; what is dispatched, three instructions a cycle,
// of which one on 128 bits is two, on A72, 0.221, of which it takes 0.306.
//
// Cost of the hot loop, per 3 pixels x 8 channels x 9 taps = 216 MACs:
//     27 vmull and vmlal, 12 vpadal, 6 vmovl, 18 vld1, 6 vzip, 3 vst1, 2 for the loop = 74 instructions, 0.343 per MAC.
// The floor of the arithmetic is 15 instructions for a pixel's 72 MACs, 0.208 per MAC: 9 multiplies, and 6 to widen and
// add; without zips it is 18, 0.250 per MAC, be it with vmull, vmlal and vaddw or with vmlal of int16. But two new
// columns a pixel take 6 loads, whatever is done with them: each byte of the input comes in for 2 or 3 products only,
// and 16 channels at a time would halve the loads, but 9 vectors of weights do not fit beside the window. With those
// the floor is 21, 0.292 per MAC, and 17 % above it are 2 zips, which save more than they cost, and the store. Around
// the hot loop a row costs 30 instructions for each 8 channels. The bytes: 48 loaded and 32 stored for 72 MACs.

#define KERNEL dwconv3x3s2_s8s32_hwc_3x8
#define STRIDE 2
#include "dwconv3x3_s8s32_hwc_3x8.inc"
