/*toml
extends = "conv3x3_s8s8_hwc_4x8_dotprod.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[2*y+i][2*x+j][k] + bias[o], requantized as in ruy to int8, HWC, weights packed, vsdot"
[args]
input = { read = { rows = "2*height+1", bytes = "(2*width+1)*in_channels" } }
*/

// The loops, the tile and the layout of the weights are those of
// conv3x3_s8s8_hwc_4x8_dotprod_ruy; windows lie two pixels apart.
//
// Cost of the hot loop, per 4 pixels x 8 output channels x 16 bytes of a run = 512 MACs: 40 instructions, 0.0781 per MAC,
// 25 % above its floor of 32, as with stride 1. Around the hot loop a tile costs 113 instructions where runs have no
// bytes left over.

#define KERNEL conv3x3s2_s8s8_hwc_4x8_dotprod_ruy
#define STRIDE 2
#include "../include/requantize_ruy.inc"
#include "conv3x3_s8s8_hwc_4x8_dotprod.inc"
