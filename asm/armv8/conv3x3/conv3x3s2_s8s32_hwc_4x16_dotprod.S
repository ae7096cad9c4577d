/*toml
extends = "conv3x3_s8s32_hwc_4x16_dotprod.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[2*y+i][2*x+j][k], int8 x int8 -> int32, HWC, weights packed, sdot"
[args]
input = { read = { rows = "2*height+1", bytes = "(2*width+1)*in_channels" } }
*/

// The loops and the tile are those of conv3x3_s8s8_hwc_4x16_dotprod_ruy, and windows lie two pixels apart; but the sums
// start from 0 and leave as they are, int32: for a requantize_s32s8_rows of any scheme, or to be added to.
//
// Cost of the hot loop, per 4 pixels x 16 output channels x 32 bytes of a run = 2048 MACs: 142 instructions, 0.0693
// per MAC, 11 % above its floor of 128, as there. Around the hot loop a tile costs 46 instructions where runs have
// no bytes left over.

#define KERNEL conv3x3s2_s8s32_hwc_4x16_dotprod
#define STRIDE 2
#include "conv3x3_s8s32_hwc_4x16_dotprod.inc"
