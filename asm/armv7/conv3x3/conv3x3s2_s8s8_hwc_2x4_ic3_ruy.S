/*toml
extends = "conv3x3_s8s8_hwc_2x4_ic3.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[2*y+i][2*x+j][k] + bias[o], requantized as in ruy to int8, HWC, 3 channels"
[args]
input = { read = { rows = "2*height+1", bytes = "3*(2*width+1)" } }
*/

// Cost of the hot loop, per 2 pixels x 4 output channels x 27 taps = 216 MACs:
//     48 vmull, vmlal, vpaddl and vpadal, 16 vld1 of weights by halves, 12 vpadd, 29 to turn 8 sums into 8 int8 and
//     store them, 3 for the loop = 108 instructions, 0.500 per MAC.
// The floor of the sums is three instructions for 16 MACs, 41 or 0.1875 per MAC, and 48 with 27 taps filled up to 32; with
// loads and vpadd they take 76, 85 % more, of which 7 instructions are for the 5 zeros and 12 to add across, which deeper
// layers do once for many taps. Gathering 2 pixels takes 14 instructions, once for all output channels.

#define KERNEL conv3x3s2_s8s8_hwc_2x4_ic3_ruy
#define STRIDE 2
#include "../include/requantize_ruy.inc"
#include "conv3x3_s8s8_hwc_2x4_ic3.inc"
