/*toml
extends = "conv3x3_s8s8_hwc_4x16_dotprod.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k] + bias[o], requantized as in ruy to int8, HWC, weights packed, sdot"
*/

// Cost of the hot loop, per 4 pixels x 16 output channels x 32 bytes of a run = 2048 MACs:
//     128 sdot, 8 ld1, 4 ldp, 2 for the loop = 142 instructions, 0.0693 per MAC.
// The floor is an sdot for 16 MACs, 128 or 0.0625 per MAC; 11 % above it are the loads. Around the hot loop a tile costs
// 152 instructions where runs have no bytes left over.

#define KERNEL conv3x3_s8s8_hwc_4x16_dotprod_ruy
#define STRIDE 1
#include "../include/requantize_ruy.inc"
#include "conv3x3_s8s8_hwc_4x16_dotprod.inc"
