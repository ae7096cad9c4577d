/*toml
extends = "conv1x1_s8s8_hwc_4x4.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i] + bias[o], requantized as in gemmlowp and TFLite to int8, HWC"
*/

// Cost of the hot loop, per 4 pixels x 4 output channels x 32 input channels = 512 MACs: 106 instructions, 0.207 per
// MAC, as without requantization, 10 % above its floor of 96. Around it a tile costs 77 instructions, 44 of them to
// turn 16 sums into 16 int8: 4 to add the bias, 22 to scale, 10 to narrow, add the zero point and clamp, the rest to
// load what that takes.

#define KERNEL conv1x1_s8s8_hwc_4x4_gemmlowp
#include "../include/requantize_gemmlowp.inc"
#include "conv1x1_s8s8_hwc_4x4.inc"
