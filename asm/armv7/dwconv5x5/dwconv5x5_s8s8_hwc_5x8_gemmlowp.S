/*toml
extends = "dwconv5x5_s8s8_hwc_5x8.inc"
summary = "output[y][x][c] = sum_ij weights[i][j][c] * input[y+i][x+j][c] + bias[c], requantized as in gemmlowp and TFLite to int8, HWC"
*/

// Cost of the hot loop, per 10 pixels x 8 channels x 25 taps = 2000 MACs:
//     2 x 289, as in dwconv5x5_s8s32_hwc_5x8 but for 5 additions to a pointer; 5 x 49 to turn 2 x 8 sums into 2 x 8
//     int8 and store them = 823 instructions, 0.411 per MAC.
// Of the 49, 8 load the sums, 64 bits at a time, 4 add the bias, 20 scale, 12 narrow, add the zero point and clamp, 2
// store and 3 are for the loop. The window itself costs 289, 41 % above its floor of 205. Around the hot loop a row
// costs 120 instructions for each 8 channels and each 60 pixels.

#define KERNEL dwconv5x5_s8s8_hwc_5x8_gemmlowp
#define STRIDE 1
#include "../include/two_pixels_gemmlowp.inc"
#include "dwconv5x5_s8s8_hwc_5x8.inc"
