/*toml
extends   = "conv1x1_s8s8_hwc_4x8_dotprod.inc"
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i] + bias[o], requantized in float32 as in QNNPACK to int8, HWC, weights packed, vsdot"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t pixels, size_t in_channels, size_t out_channels, const int32_t *bias, const float *scales, const int16_t *range)"
[args]
scales = { reg = "stack+12", read = "4*8*((out_channels+7)//8)", layout = "oc8", dtype = "float32", range = [1e-9, 256.0] }
range  = { reg = "stack+16" }
*/

// Cost of the hot loop, per 4 pixels x 8 output channels x 16 input channels = 512 MACs: 40 instructions, 0.0781 per
// MAC, as without requantization, 25 % above its floor of 32. Around it a tile costs 74 instructions, 53 of them to
// turn 32 sums into 32 int8: 24 to scale, 20 to narrow and add the zero point, 4 to clamp, the rest to load what that
// takes.

#define KERNEL conv1x1_s8s8_hwc_4x8_dotprod_fp32
#define RANGE        (FRAME + 16)
#include "requantize_fp32_armv8.inc"
#include "conv1x1_s8s8_hwc_4x8_dotprod.inc"
