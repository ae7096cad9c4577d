/*toml
extends = "conv3x3_s8s8_hwc_2x4.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[2*y+i][2*x+j][k] + bias[o], requantized as in ruy to int8, HWC"
[args]
input = { read = { rows = "2*height+1", bytes = "(2*width+1)*in_channels" } }
*/

// Windows lie two pixels apart.
//
// Cost of the hot loop, per 2 pixels x 4 output channels x 32 bytes of a run = 256 MACs: 59 instructions, 0.230 per MAC,
// 23 % above its floor of 48, as with stride 1. Around the hot loop a tile costs 96 instructions where runs have no
// bytes left over.

#define KERNEL conv3x3s2_s8s8_hwc_2x4_ruy
#define STRIDE 2
#include "../include/requantize_ruy.inc"
#include "conv3x3_s8s8_hwc_2x4.inc"
