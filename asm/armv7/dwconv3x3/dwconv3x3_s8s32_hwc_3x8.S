/*toml
extends = "dwconv3x3_s8s32_hwc_3x8.inc"
summary = "output[y][x][c] = sum_ij weights[i][j][c] * input[y+i][x+j][c], int8 x int8 -> int32, HWC"
*/

// Channels lie in lanes. Two taps of one channel lie in neighbouring lanes, so that vpadal, which adds neighbours, can
// add up 4 products in place of the 2 that vaddw can: rows 0 and 1 of each column are zipped as they come in, and serve
// three pixels. Row 2 is not zipped: its three products are two vectors of int16, which vaddl adds and widens at once,
// and a pixel's sums begin with that. The weights are zipped the same way beforehand, 9 vectors for each 8 channels:
//
//     (row 0, row 1) of column 0, of column 1, of column 2; row 2 of column 0, of column 1, of column 2
//
// The window, and where it lives, for pixel 0 of 3; pixel 1 has the second and third column and a new one in the
// first's place, and so on round:
//
//                  column 0        column 1        column 2         weights
//               +---------------+---------------+---------------+
//     rows 0, 1 | q1            | q3            | q8            |   q11           q12           q13
//               +---------------+---------------+---------------+
//         row 2 | d8            | d9            | d18           |   d19           d20           d21
//               +---------------+---------------+---------------+
//
//     q0, q2, q5, q6, q7: products, int16; q14, q15: sums of 8 channels, int32
//
// What bounds it: multiplications and additions, one of 128 bits at a time, on Cortex-A53 and A55, 0.271 cycles per
// MAC, of which the hot loop takes 0.278 where nothing misses the cache; what is dispatched, three instructions a
// cycle, of which one on 128 bits is two, on A72, 0.184, which is what it takes.
//
// Cost of the hot loop, per 3 pixels x 8 channels x 9 taps = 216 MACs:
//     27 vmull and vmlal, 12 vpadal, 6 vaddl, 9 vld1, 3 vzip, 3 vst1, 2 for the loop = 62 instructions, 0.287 per MAC.
// The floor is 15 instructions for a pixel's 72 MACs, 0.208 per MAC: 9 multiplies, and 6 to widen and add; 38 % above
// it are 3 loads, the zip that makes it so low, and a store for each pixel. Without zips it is 17, 0.236 per MAC.
// Around the hot loop a row costs 36 instructions for each 8 channels. The bytes: 24 loaded and 32 stored for 72 MACs.

#define KERNEL dwconv3x3_s8s32_hwc_3x8
#define STRIDE 1
#include "dwconv3x3_s8s32_hwc_3x8.inc"
