/*toml
extends = "conv1x1_s8s8_hwc_2x4.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i] + bias[o], requantized as in ruy to int8, HWC, for in-order cores"
*/

// The hot loop is that of conv1x1_s8s32_hwc_2x4_inorder, and so is what bounds it: 0.281 cycles per MAC on Cortex-A53, 0.25 on A55.
//
// Cost of the hot loop, per 2 pixels x 4 output channels x 32 input channels = 256 MACs: 78 instructions, 0.305 per MAC,
// as without requantization: 30 above the floor of 48, 24 of them loads. Around it a tile costs 57 instructions, as the
// last time round loads less, 34 of them to turn 8 sums into 8 int8: 9 to scale, 10 to add the bias, narrow, add the zero
// point and clamp, the rest to load what that takes.

#define KERNEL conv1x1_s8s8_hwc_2x4_inorder_ruy
#define SHIFTS       (FRAME + 16)
#define RANGE        (FRAME + 20)
#define AHEAD 64
#include "../include/requantize_ruy.inc"
#include "conv1x1_s8s8_hwc_2x4.inc"
