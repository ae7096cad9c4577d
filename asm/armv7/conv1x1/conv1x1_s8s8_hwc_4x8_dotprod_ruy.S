/*toml
extends = "conv1x1_s8s8_hwc_4x8_dotprod.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i] + bias[o], requantized as in ruy to int8, HWC, weights packed, vsdot"
*/

// Cost of the hot loop, per 4 pixels x 8 output channels x 16 input channels = 512 MACs: 40 instructions, 0.0781 per
// MAC, as without requantization, 25 % above its floor of 32. Around it a tile costs 82 instructions, 61 of them to
// turn 32 sums into 32 int8: 29 to scale, 20 to narrow and add the zero point, 4 to clamp, the rest to load what that
// takes.

#define KERNEL conv1x1_s8s8_hwc_4x8_dotprod_ruy
#define SHIFTS       (FRAME + 16)
#define RANGE        (FRAME + 20)
#include "../include/requantize_ruy.inc"
#include "conv1x1_s8s8_hwc_4x8_dotprod.inc"
