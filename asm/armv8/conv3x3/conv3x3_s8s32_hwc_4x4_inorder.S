/*toml
extends = "conv3x3_s8s32_hwc_4x4.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k], int8 x int8 -> int32, HWC, for in-order cores"
stack   = 176
*/

// For cores that issue two instructions in order, Cortex-A53, A55 and A510: as conv3x3_s8s32_hwc_4x4, with the hot
// loop of conv1x1_s8s32_hwc_4x4_inorder, in which every load finds room beside the products. So what bounds it is
// what bounds that: 0.25 cycles per MAC on Cortex-A53 and A55. It takes 0.25 and 0.27 (conv3x3_s8s32_hwc_4x4: 0.30
// and 0.31).
//
// Registers: what loads ahead has those of line and window, which the frame keeps, until a run is through.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 32 bytes of a run = 512 MACs: 158 instructions, 0.309 per
// MAC: 62 above the floor of 96, which issue beside it. Around the hot loop a tile costs 28 instructions where runs
// have no bytes left over: the last time round of each of the three runs loads half as much.

#define KERNEL conv3x3_s8s32_hwc_4x4_inorder
#define STRIDE 1
#define AHEAD 64
#include "conv3x3_s8s32_hwc_4x4.inc"
