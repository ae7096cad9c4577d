/*toml
extends = "conv3x3_s8s8_hwc_2x4_dotprod_ic3.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k] + bias[o], requantized as in ruy to int8, HWC, 3 channels, weights packed, vsdot"
*/

// Windows lie a pixel apart.
//
// Cost of the hot loop, per 2 pixels x 4 output channels x 27 taps = 216 MACs: 57 instructions, 0.264 per MAC, as with stride 2, where
// they are told apart and compared with the bound.

#define KERNEL conv3x3_s8s8_hwc_2x4_dotprod_ic3_ruy
#define STRIDE 1
#include "../include/requantize_ruy.inc"
#include "conv3x3_s8s8_hwc_2x4_dotprod_ic3.inc"
