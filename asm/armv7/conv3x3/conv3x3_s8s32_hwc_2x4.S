/*toml
extends = "conv3x3_s8s32_hwc_2x4.inc"
summary = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k], int8 x int8 -> int32, HWC"
*/

// The loops and the tile are those of conv3x3_s8s8_hwc_2x4_ruy; but the sums start from 0 and leave as they are, int32:
// for a requantize_s32s8_rows of any scheme, or to be added to.

#define KERNEL conv3x3_s8s32_hwc_2x4
#define STRIDE 1
#include "conv3x3_s8s32_hwc_2x4.inc"
