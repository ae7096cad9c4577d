/*toml
extends = "dwconv3x3_s8s8_hwc_3x8.inc"
summary = "output[y][x][c] = sum_ij weights[i][j][c] * input[y+i][x+j][c] + bias[c], requantized as in gemmlowp and TFLite to int8, HWC"
*/

// Cost of the hot loop, per 3 pixels x 8 channels x 9 taps = 216 MACs:
//     27 vmull and vmlal, 12 vpadal, 12 vaddw, 9 vld1, 3 vzip, 2 for the loop; 3 x 20 to turn 8 sums into 8 int8 and
//     store them = 125 instructions, 0.579 per MAC.
// Of the 20, 1 loads the bias, 1 stores the sums and 1 loads them, 10 scale, 5 narrow, add the zero point and clamp, 1
// stores and 1 is for the loop. Without a bias, and with int32 to store, the window costs 68, 33 % above its floor of
// 51. Around the hot loop a row costs 70 instructions for each 8 channels and each 60 pixels.

#define KERNEL dwconv3x3_s8s8_hwc_3x8_gemmlowp
#define STRIDE 1
#include "../include/requantize_gemmlowp.inc"
#include "dwconv3x3_s8s8_hwc_3x8.inc"
