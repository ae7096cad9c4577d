/*toml
extends = "conv1x1_s8s32_chw_8x4.inc"
summary = "output[o][p] = sum_i weights[o][i] * input[i][p], int8 x int8 -> int32, CHW, sums kept in output"
*/

// The loops, outermost first; the tile is 8 pixels x 4 output channels, and a pass adds 8 input channels to it:
//
//     for each 4 output channels            then the last 0-3 one at a time
//         for each 8 input channels         then the last 0-7 one at a time        = a pass
//             for each 8 pixels             then the last 0-7 one at a time
//                 output[4][8] += weights[4][8] * input[8][8]
//
// Cost of the hot loop, per 8 pixels x 4 output channels x 8 input channels = 256 MACs:
//     32 smull/smlal, 8 saddw, 8 input loads, 4 sum loads, 4 stores, 2 for the loop = 58 instructions, 0.227 per MAC.
// The floor is its multiplies, 32 or 0.125 per MAC. The rest is the price of the scheme: 256 bytes of sums go in and out for
// 64 bytes of input, in every pass. No prefetch: there are 12 plain ascending streams, which hardware finds by itself.

#define KERNEL conv1x1_s8s32_chw_8x4

// output[rows][1 pixel] += weights[rows][channels] * input[channels][1 pixel]: here a vector holds 8 input channels,
// v16-v19 the rows of weights as they lie in memory, and each row is added up across
// The loop with 2 instructions around it, rows=4, channels=8: 30 instructions, 32 MACs.
.macro one_pixel rows, channels
    load_one_pixel \channels
    smull   v4.8h, v0.8b, v16.8b
    saddlp  v4.4s, v4.8h
  .if \rows == 4
    smull   v5.8h, v0.8b, v17.8b
    smull   v6.8h, v0.8b, v18.8b
    smull   v7.8h, v0.8b, v19.8b
    saddlp  v5.4s, v5.8h
    saddlp  v6.4s, v6.8h
    saddlp  v7.4s, v7.8h
    ld1r    {v8.4s}, [sums], sums_row
    ld1     {v8.s}[1], [sums], sums_row
    ld1     {v8.s}[2], [sums], sums_row
    ld1     {v8.s}[3], [sums], sums_next
    addp    v4.4s, v4.4s, v5.4s
    addp    v6.4s, v6.4s, v7.4s
    addp    v4.4s, v4.4s, v6.4s                     // lane r = row r
    add     v8.4s, v8.4s, v4.4s
    st1     {v8.s}[0], [store], store_row
    st1     {v8.s}[1], [store], store_row
    st1     {v8.s}[2], [store], store_row
    st1     {v8.s}[3], [store], store_next
  .else
    ld1r    {v8.2s}, [sums], sums_next
    addv    s4, v4.4s
    add     v8.2s, v8.2s, v4.2s
    st1     {v8.s}[0], [store], store_next
  .endif
.endm

.macro last_pixels rows, channels
    one_by_one \rows, \channels
.endm

#include "conv1x1_s8s32_chw_8x4.inc"
