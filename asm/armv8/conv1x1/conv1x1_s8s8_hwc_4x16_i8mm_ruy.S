/*toml
extends = "conv1x1_s8s8_hwc_4x16.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i] + bias[o], requantized as in ruy to int8, HWC, weights packed, smmla"
isa     = ["armv8.2-a", "neon", "i8mm"]
[args]
weights = { read = "16*((out_channels+15)//16)*8*((in_channels+7)//8)", layout = "oc16_ic8" }
*/

// Cost of the hot loop, per 4 pixels x 16 output channels x 32 input channels = 2048 MACs: 86 instructions, 0.0420 per
// MAC, as without requantization, 34 % above its floor of 64. Around it a tile costs 157 instructions, 105 of them to
// turn 64 sums into 64 int8: 4 x 14 to scale, 40 to narrow, add the zero point and clamp, the rest to load what that
// takes. To start from the bias takes 16, a load for each register of 2 x 2 sums.

#define KERNEL conv1x1_s8s8_hwc_4x16_i8mm_ruy
#include "conv1x1_hwc_4x16_i8mm.inc"
#include "../include/requantize_ruy.inc"
#include "conv1x1_s8s8_hwc_4x16.inc"
