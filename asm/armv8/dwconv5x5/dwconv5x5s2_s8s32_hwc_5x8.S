/*toml
extends = "dwconv5x5_s8s32_hwc_5x8.inc"
summary = "output[y][x][c] = sum_ij weights[i][j][c] * input[2*y+i][2*x+j][c], int8 x int8 -> int32, HWC"
[args]
input = { read = { rows = "2*height+3", bytes = "(2*width+3)*channels" } }
*/

// What bounds it: multiplications and additions, one of 128 bits at a time, on Cortex-A53 and A55, 0.270 cycles per MAC, of
// which it takes 0.297 and 0.282; what is dispatched, three instructions a cycle, of which one on 128 bits is two, on A72,
// 0.184, of which it takes 0.185.
//
// Cost of the hot loop, per 5 pixels x 8 channels x 25 taps = 1000 MACs:
//     125 smull and smlal, 50 sadalp, 10 saddlp, 10 saddw, 50 ld1, 25 zip, 5 st1, 2 for the loop = 277 instructions,
//     0.277 per MAC.
// The floor of the arithmetic is that of stride 1: 39 instructions for a pixel's 200 MACs, 0.195 per MAC. But here two
// new columns a pixel take 10 loads, whatever is done with them, as 16 channels at a time would not fit: with those the
// floor is 49, 0.245 per MAC, and 13 % above it are the zips, which save more than they cost, and the stores. Around
// the hot loop a row costs 50 instructions for each 8 channels. The bytes: 80 loaded and 32 stored for 200 MACs.

#define KERNEL dwconv5x5s2_s8s32_hwc_5x8
#define STRIDE 2
#include "dwconv5x5_s8s32_hwc_5x8.inc"
