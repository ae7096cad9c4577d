/*toml
extends = "dwconv3x3_s8s32_hwc_3x16.inc"
summary = "output[y][x][c] = sum_ij weights[i][j][c] * input[y+i][x+j][c], int8 x int8 -> int32, HWC"
*/

// What bounds it: multiplications and additions, one of 128 bits at a time, on Cortex-A53 and A55, 0.292 cycles per MAC;
// what is dispatched, three instructions a cycle, of which one on 128 bits is two, on A72, 0.187. It takes no more on any.
//
// Cost of the hot loop, per 3 pixels x 16 channels x 9 taps = 432 MACs:
//     54 smull and smlal, 24 sadalp, 12 sxtl, 12 ldr, 6 ld1, 12 zip, 3 st1, 2 for the loop = 125 instructions, 0.289 per
//     MAC.
// The floor is 30 instructions for a pixel's 144 MACs, 0.208 per MAC: 18 multiplies, and 12 to widen and add; 39 %
// above it are the zips that make it so low, the loads, by halves, and the stores. Without zips it is 36, 0.250 per
// MAC, be it with smull, smlal and saddw or with smlal of int16. Around the hot loop a row costs 38 instructions for
// each 16 channels. The bytes: 48 loaded and 64 stored for 144 MACs.

#define KERNEL dwconv3x3_s8s32_hwc_3x16
#define STRIDE 1
#include "dwconv3x3_s8s32_hwc_3x16.inc"
