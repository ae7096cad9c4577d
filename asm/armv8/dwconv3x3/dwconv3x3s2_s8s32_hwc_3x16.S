/*toml
extends = "dwconv3x3_s8s32_hwc_3x16.inc"
summary = "output[y][x][c] = sum_ij weights[i][j][c] * input[2*y+i][2*x+j][c], int8 x int8 -> int32, HWC"
[args]
input = { read = { rows = "2*height+1", bytes = "(2*width+1)*channels" } }
*/

// The channels and the weights lie as in dwconv3x3_s8s32_hwc_3x16.inc, and so does the window, but that it moves on by two
// columns: the third becomes the first, and two new ones come in. Weights are not -128 for the reason given there.
//
// What bounds it: multiplications and additions, one of 128 bits at a time, 0.306 cycles per MAC on Cortex-A55; on A53 0.333, as
// of 12 loads a pixel 8 find room behind sadalp, and 4 take a cycle of the multipliers; what is dispatched, three instructions a
// cycle, of which one on 128 bits is two, on A72, 0.219. It takes 0.313, 0.340
// and 0.219.
//
// Cost of the hot loop, per 3 pixels x 16 channels x 9 taps = 432 MACs:
//     54 smull and smlal, 24 sadalp, 12 sxtl, 24 ldr, 12 ld1, 18 zip, 3 st1, 2 for the loop = 149 instructions, 0.345 per
//     MAC.
// The floor of the arithmetic is that of stride 1: 30 instructions for a pixel's 144 MACs, 0.208 per MAC, or 36 and
// 0.250 per MAC without zips. But two new columns a pixel take 6 loads, whatever is done with them: each byte of the
// input comes in for 2 or 3 products only. With those the floor is 36, 0.250 per MAC, and 38 % above it are 6 zips,
// which save as many instructions, 6 loads more, as they are of halves, and the store. Around the hot loop a row costs 30
// instructions for each 16 channels. The bytes: 96 loaded and 64 stored for 144 MACs.

#define KERNEL dwconv3x3s2_s8s32_hwc_3x16
#define STRIDE 2
#include "dwconv3x3_s8s32_hwc_3x16.inc"
