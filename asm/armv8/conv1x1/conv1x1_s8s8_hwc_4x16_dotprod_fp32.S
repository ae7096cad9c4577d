/*toml
extends = "conv1x1_s8s8_hwc_4x16_dotprod_fp32.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i] + bias[o], requantized in float32 as in QNNPACK to int8, HWC, weights packed, sdot"
*/

// Cost of the hot loop, per 4 pixels x 16 output channels x 32 input channels = 2048 MACs: 142 instructions, 0.0693 per
// MAC, as without requantization, 11 % above its floor of 128. Around it a tile costs 114 instructions, 94 of them to
// turn 64 sums into 64 int8: 4 x 12 to scale, 40 to narrow, add the zero point and clamp, the rest to load what that
// takes. Starting from the bias costs nothing, as the sums have to start from something; storing 64 bytes in place of
// 256 saves what it can.

#define KERNEL conv1x1_s8s8_hwc_4x16_dotprod_fp32
#include "conv1x1_s8s8_hwc_4x16_dotprod_fp32.inc"
