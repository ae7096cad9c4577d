/*toml
extends = "conv3x3_s8s8_hwc_2x4.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k] + bias[o], requantized as in ruy to int8, HWC"
*/

// Cost of the hot loop, per 2 pixels x 4 output channels x 32 bytes of a run = 256 MACs:
//     16 vmull, 16 vmlal, 16 vpadal, 9 vld1, 2 for the loop = 59 instructions, 0.230 per MAC.
// The floor is three instructions for 16 MACs, 48 or 0.1875 per MAC; 23 % above it are the loads: 12 of 16 bytes, of which
// 6 alone, long before their use, and a larger tile would not fit. Around the hot loop a tile costs 96 instructions
// where runs have no bytes left over.

#define KERNEL conv3x3_s8s8_hwc_2x4_ruy
#define STRIDE 1
#include "../include/requantize_ruy.inc"
#include "conv3x3_s8s8_hwc_2x4.inc"
