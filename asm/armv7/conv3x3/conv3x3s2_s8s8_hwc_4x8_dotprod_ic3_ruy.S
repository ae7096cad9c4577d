/*toml
extends = "conv3x3_s8s8_hwc_4x8_dotprod_ic3.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[2*y+i][2*x+j][k] + bias[o], requantized as in ruy to int8, HWC, 3 channels, weights packed, vsdot"
[args]
input = { read = { rows = "2*height+1", bytes = "3*(2*width+1)" } }
*/

// Cost of the hot loop, per 4 pixels x 8 output channels x 27 taps = 864 MACs:
//     56 vsdot, 12 loads of taps and weights, and what is not sums = 145 instructions, 0.168 per MAC.
// The floor of the sums is a vsdot for 16 MACs, 54 or 0.0625 per MAC; with the 28th tap and the loads they take 71, 31 %
// more. The rest is to start from the bias, and to scale, narrow, clamp and store 32 sums. Gathering 4 pixels takes 28
// instructions and 4 stores, once for all output channels.

#define KERNEL conv3x3s2_s8s8_hwc_4x8_dotprod_ic3_ruy
#define STRIDE 2
#include "../include/requantize_ruy.inc"
#include "conv3x3_s8s8_hwc_4x8_dotprod_ic3.inc"
