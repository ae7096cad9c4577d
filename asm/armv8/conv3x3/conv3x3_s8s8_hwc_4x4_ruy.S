/*toml
extends = "conv3x3_s8s8_hwc_4x4.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k] + bias[o], requantized as in ruy to int8, HWC"
*/

// Cost of the hot loop, per 4 pixels x 4 output channels x 32 bytes of a run = 512 MACs:
//     32 smull, 32 smlal2, 32 sadalp, 8 ldp, 2 for the loop = 106 instructions, 0.207 per MAC.
// The floor is three instructions for 16 MACs, 96 or 0.1875 per MAC; 10 % above it are the loads: 16 of 16 bytes cannot
// feed 512 MACs in less than 8 ldp. Around the hot loop a tile costs 109 instructions where runs have no bytes left over.

#define KERNEL conv3x3_s8s8_hwc_4x4_ruy
#define STRIDE 1
#include "../include/requantize_ruy.inc"
#include "conv3x3_s8s8_hwc_4x4.inc"
