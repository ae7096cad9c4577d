/*toml
extends   = "conv1x1_s8s8_hwc_2x4.inc"
summary   = "output[p][o] = table[sum_i weights[o][i] * input[p][i] + bias[o], requantized as in ruy to int8], HWC: relu6 and tanh in one go"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t pixels, size_t in_channels, size_t out_channels, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range, const int8_t *table)"
modular   = ["vsub.i8"]
[args]
table = { reg = "stack+24", read = "256", dtype = "int8" }
*/

// As conv1x1_s8s8_hwc_2x4_ruy; and what is in the output's range is looked up in a table in the order of the bytes, 0 to
// 127 before -128 to -1, as by lut_s8s8_flat_64. So a convolution, a relu6, which is a range, and a tanh, which is a table,
// read and write no image between them.
//
// Cost of the hot loop, per 2 pixels x 4 output channels x 32 input channels = 256 MACs: 59 instructions, 0.230 per
// MAC, as without a table, 23 % above its floor of 48. Around it a tile costs 86 instructions, 26 of them to look up 8
// int8: 8 to load the table, 7 to step the index, 8 to look up, 3 to begin and end.

#define KERNEL conv1x1_s8s8_hwc_2x4_ruy_lut
#define SHIFTS       (FRAME + 16)
#define RANGE        (FRAME + 20)
#define TABLE        (FRAME + 24)
#include "../include/requantize_ruy.inc"
#include "conv1x1_s8s8_hwc_2x4.inc"
