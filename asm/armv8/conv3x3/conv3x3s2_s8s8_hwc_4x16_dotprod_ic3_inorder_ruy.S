/*toml
extends = "conv3x3_s8s8_hwc_4x16_dotprod_ic3_inorder.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[2*y+i][2*x+j][k] + bias[o], requantized as in ruy to int8, HWC, 3 channels, weights packed, sdot, for in-order cores"
[args]
input = { read = { rows = "2*height+1", bytes = "3*(2*width+1)" } }
*/

// For Cortex-A55, which issues two instructions in order, and nothing beside a load of 128 bits: all loads are of 64, and what becomes
// of sums is spread over three tiles, so that nothing waits for the instruction before. Cortex-A75 takes it too.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 27 taps = 432 MACs:
//     28 sdot, 14 loads of weights by halves, 8 of the bias, 4 of scales, 24 to turn 16 sums into 16 int8, 4 st1, 10 for the
//     loop = 92 instructions, 0.213 per MAC.
// It takes 53 cycles, and 49 is the bound of the ports, where conv3x3s2_s8s8_hwc_4x16_dotprod_ic3_ruy takes 89.75 for as much.
// Gathering 4 pixels takes 24 loads, once for all output channels.

#define KERNEL conv3x3s2_s8s8_hwc_4x16_dotprod_ic3_inorder_ruy
#define STRIDE 2
#include "../include/requantize_ruy.inc"
#include "conv3x3_s8s8_hwc_4x16_dotprod_ic3_inorder.inc"
