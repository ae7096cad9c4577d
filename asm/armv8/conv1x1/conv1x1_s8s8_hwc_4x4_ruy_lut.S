/*toml
extends   = "conv1x1_s8s8_hwc_4x4.inc"
summary   = "output[p][o] = table[sum_i weights[o][i] * input[p][i] + bias[o], requantized as in ruy to int8], HWC: relu6 and tanh in one go"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t pixels, size_t in_channels, size_t out_channels, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range, const int8_t *table)"
stack     = 128
modular   = ["sub"]
[args]
table = { reg = "stack+16", read = "256", dtype = "int8" }
*/

// As conv1x1_s8s8_hwc_4x4_ruy; and what is in the output's range is looked up in a table in the order of the bytes, 0 to
// 127 before -128 to -1, as by lut_s8s8_flat_64. So a convolution, a relu6, which is a range, and a tanh, which is a table,
// read and write no image between them.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 32 input channels = 512 MACs: 106 instructions, 0.207 per
// MAC, as without a table, 10 % above its floor of 96. Around it a tile costs 82 instructions, 13 of them to look up 16
// int8: 4 to load the table, 3 to step the index, 4 to look up, 2 to begin.

#define KERNEL conv1x1_s8s8_hwc_4x4_ruy_lut
#define TABLE
#include "../include/requantize_ruy.inc"
#include "conv1x1_s8s8_hwc_4x4.inc"
