/*toml
extends = "dwconv5x5_s8s32_hwc_5x8.inc"
summary = "output[y][x][c] = sum_ij weights[i][j][c] * input[y+i][x+j][c], int8 x int8 -> int32, HWC"
*/

// What bounds it: multiplications and additions, one of 128 bits at a time, on Cortex-A53 and A55, 0.255 cycles per
// MAC, of which the two loops take 0.285 and 0.280 where nothing misses the cache; what is dispatched, three
// instructions a cycle, of which one on 128 bits is two, on A72, 0.181, of which they take 0.185. What the cores in
// order lose is in the second part: it has 10 loads of 64 bits for a pixel, and 6 vpadal to load behind, and all stands
// still from the store of a pixel's sums to the load of the next one's.
//
// Cost of the hot loop, per 5 pixels x 8 channels x 25 taps = 1000 MACs:
//     125 vmull and vmlal, 60 vpaddl and vpadal, 10 vaddw, 50 vld1, 10 vzip; 20 loads and 5 stores of sums, 5 additions
//     to a pointer, 5 vst1, 4 for the two loops = 294 instructions, 0.294 per MAC.
// The floor is 39 instructions for a pixel's 200 MACs, 0.195 per MAC: 25 multiplies, and 14 to widen and add. With the
// two that 16 registers are too few for, to store the sums and load them again, it is 41, 0.205 per MAC, and 43 % above
// that are the zips that make it so low, and the loads and stores, those of sums by 64 bits. Without zips it would be
// 51, 0.255 per MAC, and two parts as well. Around the hot loop a row costs 94 instructions for each 8 channels and
// each 60 pixels.

#define KERNEL dwconv5x5_s8s32_hwc_5x8
#define STRIDE 1
#include "dwconv5x5_s8s32_hwc_5x8.inc"
