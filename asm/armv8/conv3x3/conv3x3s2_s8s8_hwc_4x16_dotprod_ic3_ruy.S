/*toml
extends = "conv3x3_s8s8_hwc_4x16_dotprod_ic3.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[2*y+i][2*x+j][k] + bias[o], requantized as in ruy to int8, HWC, 3 channels, weights packed, sdot"
[args]
input = { read = { rows = "2*height+1", bytes = "3*(2*width+1)" } }
*/

// Cost of the hot loop, per 4 pixels x 16 output channels x 27 taps = 1728 MACs:
//     112 sdot, 11 loads of taps and weights, 114 for what is not sums, 3 for the loop = 240 instructions, 0.139 per MAC.
// The floor of the sums is an sdot for 16 MACs, 108 or 0.0625 per MAC; with the 28th tap and the loads they take 123,
// 14 % more. The rest is to start from the bias, and to scale, narrow, clamp and store 64 sums. Gathering 4 pixels takes
// 24 loads, once for all output channels.

#define KERNEL conv3x3s2_s8s8_hwc_4x16_dotprod_ic3_ruy
#define STRIDE 2
#include "../include/requantize_ruy.inc"
#include "conv3x3_s8s8_hwc_4x16_dotprod_ic3.inc"
