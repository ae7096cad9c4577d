/*toml
extends = "dwconv5x5_s8s32_hwc_5x8.inc"
summary = "output[y][x][c] = sum_ij weights[i][j][c] * input[y+i][x+j][c], int8 x int8 -> int32, HWC"
*/

// What bounds it: multiplications and additions, one of 128 bits at a time, on Cortex-A53 and A55, 0.256 cycles per MAC, of
// which a warm call of 14x14x64 takes 0.441 and 0.422; what is dispatched, three instructions a cycle, of which one on 128
// bits is two, on A72, 0.184, of which it takes 0.255.
//
// Cost of the hot loop, per 5 pixels x 8 channels x 25 taps = 1000 MACs:
//     125 vmull and vmlal, 60 vpaddl and vpadal, 10 vaddw, 45 vld1, 10 vzip; 5 loads and 5 stores of sums, 5 vst1, 4 for
//     the two loops = 269 instructions, 0.269 per MAC.
// The floor is 39 instructions for a pixel's 200 MACs, 0.195 per MAC: 25 multiplies, and 14 to widen and add. With the
// two that 16 registers are too few for, to store the sums and load them again, it is 41, 0.205 per MAC, and 31 % above
// that are the zips that make it so low, and the loads and stores. Without zips it would be 51, 0.255 per MAC, and two
// parts as well. Around the hot loop a row costs 89 instructions for each 8 channels and each 60 pixels.

#define KERNEL dwconv5x5_s8s32_hwc_5x8
#define STRIDE 1
#include "dwconv5x5_s8s32_hwc_5x8.inc"
