/*toml
extends = "conv3x3_s8s32_hwc_4x16_dotprod.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k], int8 x int8 -> int32, HWC, weights packed, sdot, for in-order cores"
stack   = 208
*/

// For Cortex-A55, which issues two instructions in order: as conv3x3_s8s32_hwc_4x16_dotprod, with the hot loop of
// conv1x1_s8s32_hwc_4x16_dotprod_inorder, in which every load finds room beside an sdot. So what bounds it is what
// bounds that: 0.0625 cycles per MAC. It takes 0.0635 (conv3x3_s8s32_hwc_4x16_dotprod: 0.102).
//
// Registers: what loads ahead has those of line and window, which the frame keeps, until a run is through.
//
// Cost of the hot loop, per 4 pixels x 16 output channels x 16 bytes of a run = 1024 MACs: 127 instructions, 0.124
// per MAC: 63 above the floor of 64, which issue beside it. Around the hot loop a tile costs 22 instructions where
// runs have no bytes left over: the last time round of each of the three runs loads less.

#define KERNEL conv3x3_s8s32_hwc_4x16_dotprod_inorder
#define STRIDE 1
#define INORDER
#define AHEAD 1024
#include "conv3x3_s8s32_hwc_4x16_dotprod.inc"
