/*toml
extends = "conv3x3_s8s8_hwc_4x4_ic3.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[2*y+i][2*x+j][k] + bias[o], requantized as in ruy to int8, HWC, 3 channels"
[args]
input = { read = { rows = "2*height+1", bytes = "3*(2*width+1)" } }
*/

// Cost of the hot loop, per 4 pixels x 4 output channels x 27 taps = 432 MACs:
//     96 smull, smlal2, saddlp and sadalp, 16 loads of weights by halves, 12 addp, 34 to turn 16 sums into 16 int8, 4
//     st1, 3 for the loop = 165 instructions, 0.382 per MAC.
// The floor of the sums is three instructions for 16 MACs, 81 or 0.1875 per MAC, and 96 with 27 taps filled up to 32; with
// loads and addp they take 124, 53 % more, of which 15 instructions are for the 5 zeros and 12 to add across, which deeper
// layers do once for many taps. Gathering 4 pixels takes 24 loads, once for all output channels.

#define KERNEL conv3x3s2_s8s8_hwc_4x4_ic3_ruy
#define STRIDE 2
#include "../include/requantize_ruy.inc"
#include "conv3x3_s8s8_hwc_4x4_ic3.inc"
