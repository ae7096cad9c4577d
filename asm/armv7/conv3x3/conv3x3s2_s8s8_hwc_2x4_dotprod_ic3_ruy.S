/*toml
extends = "conv3x3_s8s8_hwc_2x4_dotprod_ic3.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[2*y+i][2*x+j][k] + bias[o], requantized as in ruy to int8, HWC, 3 channels, weights packed, vsdot"
[args]
input = { read = { rows = "2*height+1", bytes = "3*(2*width+1)" } }
*/

// Cost of the hot loop, per 2 pixels x 4 output channels x 27 taps = 216 MACs:
//     14 vsdot, 14 loads of weights by halves, 4 of the bias, 4 of scales, 15 to turn 8 sums into 8 int8, 2 vst1, 4 for the
//     loop = 57 instructions, 0.264 per MAC.
// Loads are by halves, as Cortex-A55 issues nothing beside a load of 128 bits, and what becomes of sums is spread over three
// tiles, so that nothing waits for the instruction before. It takes 33 cycles there, and 28.5 are needed to issue it.
// Gathering 2 pixels takes 14 instructions, once for all output channels.

#define KERNEL conv3x3s2_s8s8_hwc_2x4_dotprod_ic3_ruy
#define STRIDE 2
#include "../include/requantize_ruy.inc"
#include "conv3x3_s8s8_hwc_2x4_dotprod_ic3.inc"
