/*toml
extends = "dwconv5x5_s8s8_hwc_5x8.inc"
summary = "output[y][x][c] = sum_ij weights[i][j][c] * input[y+i][x+j][c] + bias[c], requantized as in ruy to int8, HWC"
*/

// Cost of the hot loop, per 5 pixels x 8 channels x 25 taps = 1000 MACs:
//     269 as in dwconv5x5_s8s32_hwc_5x8; 5 x 15 to turn 8 sums into 8 int8 and store them
//     = 344 instructions, 0.344 per MAC.
// Of the 15, 1 loads the bias, 1 loads the sums, 6 scale, 5 narrow, add the zero point and clamp, 1 stores and 1 is for
// the loop. The window itself costs what it costs without requantization, 269, 31 % above its floor of 205. Around the
// hot loop a row costs 113 instructions for each 8 channels and each 60 pixels.

#define KERNEL dwconv5x5_s8s8_hwc_5x8_ruy
#define STRIDE 1
#include "../include/requantize_ruy.inc"
#include "dwconv5x5_s8s8_hwc_5x8.inc"
