/*toml
extends = "conv1x1_s8s8_hwc_4x4_fp32.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i] + bias[o], requantized in float32 as in QNNPACK to int8, HWC, for in-order cores"
stack   = 128
*/

// The hot loop is that of conv1x1_s8s32_hwc_4x4_inorder, and so is what bounds it: 0.25 cycles per MAC on Cortex-A53 and A55.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 32 input channels = 512 MACs: 158 instructions, 0.309 per
// MAC, as without requantization: 62 above the floor of 96, which find room beside it. Around it a tile costs 50
// instructions, as the last time round has nothing to load, 31 of them to turn 16 sums into 16 int8: 4 to add the bias, 12
// to scale, 11 to narrow, add the zero point and clamp, 4 to load what that takes.

#define KERNEL conv1x1_s8s8_hwc_4x4_inorder_fp32
#define AHEAD 96
#include "conv1x1_s8s8_hwc_4x4_fp32.inc"
