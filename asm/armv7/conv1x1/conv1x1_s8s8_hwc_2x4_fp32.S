/*toml
extends   = "conv1x1_s8s8_hwc_2x4.inc"
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i] + bias[o], requantized in float32 as in QNNPACK to int8, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t pixels, size_t in_channels, size_t out_channels, const int32_t *bias, const float *scales, const int16_t *range)"
[args]
scales = { reg = "stack+12", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "float32", range = [1e-9, 256.0] }
range  = { reg = "stack+16" }
*/

// Cost of the hot loop, per 2 pixels x 4 output channels x 32 input channels = 256 MACs: 59 instructions, 0.230 per
// MAC, as without requantization, 23 % above its floor of 48. Around it a tile costs 65 instructions, 39 of them to
// turn 8 sums into 8 int8: 17 to scale, 10 to add the bias, narrow, add the zero point and clamp, the rest to load what
// that takes.

#define KERNEL conv1x1_s8s8_hwc_2x4_fp32
#define RANGE        (FRAME + 16)
#include "../include/requantize_fp32.inc"
#include "conv1x1_s8s8_hwc_2x4.inc"
