/*toml
extends = "dwconv5x5_s8s8_hwc_5x8.inc"
summary = "output[y][x][c] = sum_ij weights[i][j][c] * input[2*y+i][2*x+j][c] + bias[c], requantized as in ruy to int8, HWC"
[args]
input = { read = { rows = "2*height+3", bytes = "(2*width+3)*channels" } }
*/

// Cost of the hot loop, per 10 pixels x 8 channels x 25 taps = 2000 MACs:
//     2 x 319, as in dwconv5x5s2_s8s32_hwc_5x8 but for 5 additions to a pointer; 5 x 41 to turn 2 x 8 sums into 2 x 8
//     int8 and store them = 843 instructions, 0.421 per MAC.
// Of the 41, 8 load the sums, 64 bits at a time, 4 add the bias, 12 scale, 12 narrow, add the zero point and clamp, 2
// store and 3 are for the loop. The window itself costs 319, 25 % above its floor of 255. Around the hot loop a row
// costs 113 instructions for each 8 channels and each 60 pixels.

#define KERNEL dwconv5x5s2_s8s8_hwc_5x8_ruy
#define STRIDE 2
#include "../include/two_pixels_ruy.inc"
#include "dwconv5x5_s8s8_hwc_5x8.inc"
