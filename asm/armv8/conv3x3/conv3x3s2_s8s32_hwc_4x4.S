/*toml
extends = "conv3x3_s8s32_hwc_4x4.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[2*y+i][2*x+j][k], int8 x int8 -> int32, HWC"
[args]
input = { read = { rows = "2*height+1", bytes = "(2*width+1)*in_channels" } }
*/

// The loops and the tile are those of conv3x3_s8s8_hwc_4x4_ruy, and windows lie two pixels apart; but the sums start
// from 0 and leave as they are, int32: for a requantize_s32s8_rows of any scheme, or to be added to.
//
// What bounds it: the loop is that of conv1x1_s8s32_hwc_4x4, bounded by its products on Cortex-A53 and A55, 0.25
// cycles per MAC, and by dispatch on A72, 0.147. It takes 0.30, 0.31 and 0.16: loads of 128 bits issue beside
// nothing on the first two.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 32 bytes of a run = 512 MACs: 106 instructions, 0.207 per
// MAC, 10 % above its floor of 96, as there. Around the hot loop a tile costs 73 instructions where runs have no
// bytes left over.

#define KERNEL conv3x3s2_s8s32_hwc_4x4
#define STRIDE 2
#include "conv3x3_s8s32_hwc_4x4.inc"
