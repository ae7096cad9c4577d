/*toml
extends = "conv1x1_s8s8_hwc_4x16.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i] + bias[o], requantized as in ruy to int8, HWC, weights packed, sdot, for in-order cores"
stack   = 112
*/

// The hot loop is that of conv1x1_s8s32_hwc_4x16_dotprod_inorder, and so is what bounds it: 0.0625 cycles per MAC on
// Cortex-A55.
//
// Cost of the hot loop, per 4 pixels x 16 output channels x 16 input channels = 1024 MACs: 127 instructions, 0.124 per
// MAC, as without requantization: 63 above the floor of 64, which issue beside it. Around it a tile costs 161 instructions,
// 105 of them to turn 64 sums into 64 int8: 4 x 14 to scale, 40 to narrow, add the zero point and clamp; the rest to load
// what that takes, the next tile's bias, which is copied, and the first operands. That comes by halves, beside vectors which
// are computed, as interleaved_tile_4x16.inc has it: more instructions, and fewer cycles. Shifts alone are loaded by themselves.

#define KERNEL conv1x1_s8s8_hwc_4x16_dotprod_inorder_ruy
#define INORDER
#define AHEAD 1024
#define INTERLEAVED
#include "conv1x1_hwc_4x16_dotprod.inc"
#include "../include/requantize_ruy.inc"
#include "conv1x1_s8s8_hwc_4x16.inc"
