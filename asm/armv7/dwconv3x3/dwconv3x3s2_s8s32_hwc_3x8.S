/*toml
extends = "dwconv3x3_s8s32_hwc_3x8.inc"
summary = "output[y][x][c] = sum_ij weights[i][j][c] * input[2*y+i][2*x+j][c], int8 x int8 -> int32, HWC"
[args]
input   = { read = { rows = "2*height+1", bytes = "(2*width+1)*channels" } }
*/

// The weights, the products and their sums are those of dwconv3x3_s8s32_hwc_3x8: rows 0 and 1 of each column are
// zipped, and row 2 is not. Here two columns of three are new to a pixel's window, in the places of columns 0 and 1 of
// the pixel before; the window, and where it lives, for pixel 0 of 3:
//
//                  column 0        column 1        column 2         weights
//               +---------------+---------------+---------------+
//     rows 0, 1 | q1            | q3            | q8            |   q11           q12           q13
//               +---------------+---------------+---------------+
//         row 2 | d8            | d9            | d18           |   d19           d20           d21
//               +---------------+---------------+---------------+
//
// What bounds it: multiplications and additions, one of 128 bits at a time, on Cortex-A53 and A55, 0.278 cycles per
// MAC, of which the hot loop takes 0.292 where nothing misses the cache; what is dispatched, three instructions a
// cycle, of which one on 128 bits is two, on A72, 0.216, which is what it takes.
//
// Cost of the hot loop, per 3 pixels x 8 channels x 9 taps = 216 MACs:
//     27 vmull and vmlal, 12 vpadal, 6 vaddl, 18 vld1, 6 vzip, 3 vst1, 2 for the loop = 74 instructions, 0.343 per MAC.
// The floor of the arithmetic is 15 instructions for a pixel's 72 MACs, 0.208 per MAC: 9 multiplies, and 6 to widen and
// add; without zips it is 17, 0.236 per MAC. But two new columns a pixel take 6 loads, whatever is done with them: each
// byte of the input comes in for 2 or 3 products only, and 16 channels at a time would halve the loads, but 9 vectors
// of weights do not fit beside the window. With those the floor is 21, 0.292 per MAC, and 17 % above it are 2 zips,
// which cost what they save, and the store. Around the hot loop a row costs 32 instructions for each 8 channels. The
// bytes: 48 loaded and 32 stored for 72 MACs.

#define KERNEL dwconv3x3s2_s8s32_hwc_3x8
#define STRIDE 2
#include "dwconv3x3_s8s32_hwc_3x8.inc"
