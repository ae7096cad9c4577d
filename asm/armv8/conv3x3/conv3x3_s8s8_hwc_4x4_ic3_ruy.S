/*toml
extends = "conv3x3_s8s8_hwc_4x4_ic3.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k] + bias[o], requantized as in ruy to int8, HWC, 3 channels"
*/

// Windows lie a pixel apart.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 27 taps = 432 MACs: 165 instructions, 0.382 per MAC, as with
// stride 2, where they are told apart and compared with the floor. Gathering 4 pixels takes 24 loads, once for all
// output channels.

#define KERNEL conv3x3_s8s8_hwc_4x4_ic3_ruy
#define STRIDE 1
#include "../include/requantize_ruy.inc"
#include "conv3x3_s8s8_hwc_4x4_ic3.inc"
