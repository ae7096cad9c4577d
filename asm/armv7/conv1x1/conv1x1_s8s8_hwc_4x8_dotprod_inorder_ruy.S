/*toml
extends = "conv1x1_s8s8_hwc_4x8_dotprod.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i] + bias[o], requantized as in ruy to int8, HWC, weights packed, vsdot, for in-order cores"
*/

// The hot loop is that of conv1x1_s8s32_hwc_4x8_dotprod_inorder, and so is what bounds it: 0.0625 cycles per MAC on Cortex-A55.
//
// Cost of the hot loop, per 4 pixels x 8 output channels x 16 input channels = 512 MACs: 60 instructions, 0.117 per
// MAC, as without requantization: 28 above the floor of 32, which issue beside it. Around it a tile costs 78 instructions,
// as the last time round has less to load, 61 of them to turn 32 sums into 32 int8: 29 to scale, 20 to narrow and add the
// zero point, 4 to clamp, the rest to load what that takes.

#define KERNEL conv1x1_s8s8_hwc_4x8_dotprod_inorder_ruy
#define INORDER
#define AHEAD 1024
#define SHIFTS       (FRAME + 16)
#define RANGE        (FRAME + 20)
#include "../include/requantize_ruy.inc"
#include "conv1x1_s8s8_hwc_4x8_dotprod.inc"
