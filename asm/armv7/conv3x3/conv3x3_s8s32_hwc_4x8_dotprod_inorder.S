/*toml
extends = "conv3x3_s8s32_hwc_4x8_dotprod.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k], int8 x int8 -> int32, HWC, weights packed, vsdot, for in-order cores"
*/

// For Cortex-A55, which issues two instructions in order: as conv3x3_s8s32_hwc_4x8_dotprod, with the hot loop of
// conv1x1_s8s32_hwc_4x8_dotprod_inorder, in which every load finds room beside a vsdot. So what bounds it is what
// bounds that: 0.0625 cycles per MAC, which it takes (conv3x3_s8s32_hwc_4x8_dotprod: 0.115).
//
// Cost of the hot loop, per 4 pixels x 8 output channels x 16 bytes of a run = 512 MACs: 60 instructions, 0.117 per
// MAC: 28 above the floor of 32, which issue beside it. Around the hot loop a tile costs 36 instructions where runs
// have no bytes left over: the last time round of each of the three runs loads less.

#define KERNEL conv3x3_s8s32_hwc_4x8_dotprod_inorder
#define STRIDE 1
#define INORDER
#define AHEAD 1024
#include "conv3x3_s8s32_hwc_4x8_dotprod.inc"
