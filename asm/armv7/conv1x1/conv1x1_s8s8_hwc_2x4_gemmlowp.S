/*toml
extends = "conv1x1_s8s8_hwc_2x4.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i] + bias[o], requantized as in gemmlowp and TFLite to int8, HWC"
*/

// Cost of the hot loop, per 2 pixels x 4 output channels x 32 input channels = 256 MACs: 59 instructions, 0.230 per
// MAC, as without requantization, 23 % above its floor of 48. Around it a tile costs 64 instructions, 38 of them to
// turn 8 sums into 8 int8: 13 to scale, 10 to add the bias, narrow, add the zero point and clamp, the rest to load what
// that takes.

#define KERNEL conv1x1_s8s8_hwc_2x4_gemmlowp
#define SHIFTS       (FRAME + 16)
#define RANGE        (FRAME + 20)
#include "../include/requantize_gemmlowp.inc"
#include "conv1x1_s8s8_hwc_2x4.inc"
