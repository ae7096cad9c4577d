/*toml
extends = "dwconv5x5_s8s32_hwc_5x8.inc"
summary = "output[y][x][c] = sum_ij weights[i][j][c] * input[y+i][x+j][c], int8 x int8 -> int32, HWC"
*/

// What bounds it: multiplications and additions, one of 128 bits at a time, on Cortex-A53 and A55, 0.260 cycles per MAC, of
// which it takes 0.277 and 0.272; what is dispatched, three instructions a cycle, of which one on 128 bits is two, on A72,
// 0.161, of which it takes 0.165.
//
// Cost of the hot loop, per 5 pixels x 8 channels x 25 taps = 1000 MACs:
//     125 smull and smlal, 50 sadalp, 10 saddlp, 10 saddw, 25 ld1, 15 zip, 5 st1, 2 for the loop = 242 instructions,
//     0.242 per MAC.
// The floor is 39 instructions for a pixel's 200 MACs, 0.195 per MAC: 25 multiplies, and 14 to widen and add; 24 %
// above it are the zips that make it so low, and the loads and stores. Without zips it is 51, 0.255 per MAC. Around the
// hot loop a row costs 59 instructions for each 8 channels. The bytes: 40 loaded and 32 stored for 200 MACs.

#define KERNEL dwconv5x5_s8s32_hwc_5x8
#define STRIDE 1
#include "dwconv5x5_s8s32_hwc_5x8.inc"
