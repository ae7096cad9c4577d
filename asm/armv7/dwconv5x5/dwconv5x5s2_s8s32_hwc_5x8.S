/*toml
extends = "dwconv5x5_s8s32_hwc_5x8.inc"
summary = "output[y][x][c] = sum_ij weights[i][j][c] * input[2*y+i][2*x+j][c], int8 x int8 -> int32, HWC"
[args]
input = { read = { rows = "2*height+3", bytes = "(2*width+3)*channels" } }
*/

// What bounds it: multiplications and additions, one of 128 bits at a time, on Cortex-A53 and A55, 0.260 cycles per
// MAC, of which the two loops take 0.295 and 0.285 where nothing misses the cache; what is dispatched, three
// instructions a cycle, of which one on 128 bits is two, on A72, 0.200, of which they take 0.202.
//
// Cost of the hot loop, per 5 pixels x 8 channels x 25 taps = 1000 MACs:
//     125 vmull and vmlal, 60 vpaddl and vpadal, 10 vaddw, 70 vld1, 20 vzip; 20 loads and 5 stores of sums, 5 additions
//     to a pointer, 5 vst1, 4 for the two loops = 324 instructions, 0.324 per MAC.
// The floor of the arithmetic is that of stride 1: 39 instructions for a pixel's 200 MACs, 0.195 per MAC. But here two
// new columns a pixel take 10 loads, whatever is done with them, as 16 channels at a time would not fit, and the sums
// are stored and loaded again: with those the floor is 51, 0.255 per MAC; 27 % above it are the zips, the loads of row
// 4 for the second time, those of sums by 64 bits, and the stores. Around the hot loop a row costs 87 instructions for
// each 8 channels and each 60 pixels.

#define KERNEL dwconv5x5s2_s8s32_hwc_5x8
#define STRIDE 2
#include "dwconv5x5_s8s32_hwc_5x8.inc"
