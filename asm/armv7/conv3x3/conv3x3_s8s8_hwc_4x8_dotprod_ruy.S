/*toml
extends = "conv3x3_s8s8_hwc_4x8_dotprod.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k] + bias[o], requantized as in ruy to int8, HWC, weights packed, vsdot"
*/

// Cost of the hot loop, per 4 pixels x 8 output channels x 16 bytes of a run = 512 MACs:
//     32 vsdot, 2 vldmia, 4 vld1, 2 for the loop = 40 instructions, 0.0781 per MAC.
// The floor is a vsdot for 16 MACs, 32 or 0.0625 per MAC; 25 % above it are the loads, of which a larger tile, for which
// there are no registers, would need fewer. Around the hot loop a tile costs 113 instructions where runs have no bytes
// left over.

#define KERNEL conv3x3_s8s8_hwc_4x8_dotprod_ruy
#define STRIDE 1
#include "../include/requantize_ruy.inc"
#include "conv3x3_s8s8_hwc_4x8_dotprod.inc"
