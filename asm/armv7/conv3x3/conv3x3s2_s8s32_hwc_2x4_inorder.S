/*toml
extends = "conv3x3_s8s32_hwc_2x4.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[2*y+i][2*x+j][k], int8 x int8 -> int32, HWC, for in-order cores"
[args]
input = { read = { rows = "2*height+1", bytes = "(2*width+1)*in_channels" } }
*/

// For cores that issue in order, Cortex-A7 to A9, A53 and A55: as conv3x3s2_s8s32_hwc_2x4, with the hot loop of
// conv1x1_s8s32_hwc_2x4_inorder, whose loads have room beside the products. So what bounds it is what bounds that:
// 0.281 cycles per MAC on Cortex-A53, 0.25 on A55, 0.5 on A7. It takes 0.29, 0.27 and 0.52 (conv3x3s2_s8s32_hwc_2x4:
// 0.30, 0.33 and 0.54). Windows lie two pixels apart.
//
// Cost of the hot loop, per 2 pixels x 4 output channels x 32 bytes of a run = 256 MACs: 78 instructions, 0.305 per
// MAC: 30 above the floor of 48, for loads by halves. Around the hot loop a tile costs 38 instructions where runs
// have no bytes left over: the last time round of each of the three runs loads less.

#define KERNEL conv3x3s2_s8s32_hwc_2x4_inorder
#define STRIDE 2
#define AHEAD 64
#include "conv3x3_s8s32_hwc_2x4.inc"
