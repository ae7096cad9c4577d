/*toml
extends = "dwconv3x3_s8s8_hwc_3x8.inc"
summary = "output[y][x][c] = sum_ij weights[i][j][c] * input[y+i][x+j][c] + bias[c], requantized as in gemmlowp and TFLite to int8, HWC"
*/

// Cost of the hot loop, per 6 pixels x 8 channels x 9 taps = 432 MACs:
//     54 vmull and vmlal, 24 vpadal, 12 vaddl, 18 vld1, 6 vzip, 6 vst1, 4 for the loop; 3 x 49 to turn 2 x 8 sums into
//     2 x 8 int8 and store them = 271 instructions, 0.627 per MAC.
// Of the 49, 8 load the sums, 64 bits at a time, 4 add the bias, 20 scale, 12 narrow, add the zero point and clamp, 2
// store and 3 are for the loop. Without a bias, and with int32 to store, the window costs 62, 38 % above its floor of
// 45. Around the hot loop a row costs 74 instructions for each 8 channels and each 60 pixels.

#define KERNEL dwconv3x3_s8s8_hwc_3x8_gemmlowp
#define STRIDE 1
#include "../include/two_pixels_gemmlowp.inc"
#include "dwconv3x3_s8s8_hwc_3x8.inc"
