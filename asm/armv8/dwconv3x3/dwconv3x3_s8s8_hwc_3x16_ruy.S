/*toml
extends = "dwconv3x3_s8s8_hwc_3x16.inc"
summary = "output[y][x][c] = sum_ij weights[i][j][c] * input[y+i][x+j][c] + bias[c], requantized as in ruy to int8, HWC"
*/

// Cost of the hot loop, per 3 pixels x 16 channels x 9 taps = 432 MACs:
//     54 smull and smlal, 24 sadalp, 12 sxtl, 12 ldr, 6 ld1, 12 zip, 2 for the loop; 3 x 38 to turn 16 sums into 16
//     int8 and store them = 236 instructions, 0.546 per MAC.
// Of the 38, 1 stores the sums and 8 load them, by halves, 4 add the bias, 12 scale, 10 narrow, add the zero point and
// clamp, 1 stores and 2 are for the loop. Without a bias, and with int32 to store, the window costs 125, 39 % above
// its floor of 90. Around the hot loop a row costs 72 instructions for each 16 channels and each 60 pixels.

#define KERNEL dwconv3x3_s8s8_hwc_3x16_ruy
#define STRIDE 1
#include "../include/sixteen_sums_ruy.inc"
#include "dwconv3x3_s8s8_hwc_3x16.inc"
