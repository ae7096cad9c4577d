/*toml
extends = "conv1x1_s8s32_chw_8x4.inc"
summary = "output[o][p] = sum_i weights[o][i] * input[i][p], int8 x int8 -> int32, CHW, pixels % 8 = 4"
[args]
pixels = { range = [4, 1048572], step = 8 }
*/

// The loops, outermost first; the tile is 8 pixels x 4 output channels, and a pass adds 8 input channels to it:
//
//     for each 4 output channels            then the last 0-3 one at a time
//         for each 8 input channels         then the last 0-7 one at a time        = a pass
//             for each 8 pixels             then the last 4 in one go
//                 output[4][8] += weights[4][8] * input[8][8]
//
// The last 4 pixels run through the same multiplies. Their vectors are half empty: each channel fills 4 of its 8 lanes,
// the other lanes are 0 or repeat them, and only 4 sums are widened and stored. Nothing is read beyond the 4 pixels.
// 14 x 14 pixels, a common size, is such a case; the kernel without _left4 would take them one by one.
//
// Cost of the hot loop, per 8 pixels x 4 output channels x 8 input channels = 256 MACs:
//     32 smull/smlal, 8 saddw, 8 input loads, 4 sum loads, 4 stores, 2 for the loop = 58 instructions, 0.227 per MAC.
// The floor is its multiplies, 32 or 0.125 per MAC. The rest is the price of the scheme: 256 bytes of sums go in and out for
// 64 bytes of input, in every pass. The last 4 pixels cost 52 instructions for 128 MACs.
// No prefetch: there are 12 plain ascending streams, which hardware finds by itself.

#define KERNEL conv1x1_s8s32_chw_8x4_left4

// the last 4 pixels in one go, rows=4, channels=8: 52 instructions, 128 MACs
.macro last_pixels rows, channels
  .if \channels == 8
    sub     in_next, in_next, #4                    // +4 pixels in place of 8; nothing comes after these sums
  .endif
    some_pixels \rows, \channels, 4
.endm

#include "conv1x1_s8s32_chw_8x4.inc"
