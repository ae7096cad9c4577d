/*toml
extends = "conv3x3_s8s8_hwc_4x16_dotprod_ic3_inorder.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k] + bias[o], requantized as in ruy to int8, HWC, 3 channels, weights packed, sdot, for in-order cores"
*/

// For Cortex-A55. Windows lie a pixel apart.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 27 taps = 432 MACs: 92 instructions, 0.213 per MAC, as with stride 2, where
// they are told apart and compared with the bound.

#define KERNEL conv3x3_s8s8_hwc_4x16_dotprod_ic3_inorder_ruy
#define STRIDE 1
#include "../include/requantize_ruy.inc"
#include "conv3x3_s8s8_hwc_4x16_dotprod_ic3_inorder.inc"
