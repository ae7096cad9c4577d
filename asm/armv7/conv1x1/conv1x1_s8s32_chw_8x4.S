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
//     32 vmull/vmlal, 8 vaddw, 8 input loads, 4 weight loads, 4 sum loads, 4 stores, 2 for the loop = 62 instructions,
//     0.242 per MAC (with a vdup for each weight it would be 90). The floor is its multiplies, 32 or 0.125 per MAC. The rest
// is the price of the scheme: 256 bytes of sums go in and out for 64 bytes of input, in every pass, and of the register
// file, which holds half of the weights.
// No prefetch: there are 12 plain ascending streams, which hardware finds by itself.

#define KERNEL conv1x1_s8s32_chw_8x4

// output[rows][1 pixel] += weights[rows][channels] * input[channels][1 pixel]: here a vector holds 8 input channels,
// d8-d11 the rows of weights as they lie in memory, and each row is added up across
// The loop with 2 instructions around it, rows=4, channels=8: 33 instructions, 32 MACs.
.macro one_pixel rows, channels
    load_one_pixel \channels
    vmull.s8    q8, d0, d8
    vpaddl.s16  q8, q8
  .if \rows == 4
    vmull.s8    q9, d0, d9
    vmull.s8    q10, d0, d10
    vmull.s8    q11, d0, d11
    vpaddl.s16  q9, q9
    vpaddl.s16  q10, q10
    vpaddl.s16  q11, q11
    vld1.32     {d24[], d25[]}, [sums], sums_row
    vld1.32     {d24[1]}, [sums], sums_row
    vld1.32     {d25[0]}, [sums], sums_row
    vld1.32     {d25[1]}, [sums], sums_next
    vpadd.i32   d16, d16, d17
    vpadd.i32   d17, d18, d19
    vpadd.i32   d18, d20, d21
    vpadd.i32   d19, d22, d23
    vpadd.i32   d16, d16, d17                       // rows 0, 1
    vpadd.i32   d17, d18, d19                       // rows 2, 3
    vadd.i32    q12, q12, q8
    vst1.32     {d24[0]}, [store], store_row
    vst1.32     {d24[1]}, [store], store_row
    vst1.32     {d25[0]}, [store], store_row
    vst1.32     {d25[1]}, [store], store_next
  .else
    vld1.32     {d24[]}, [sums], sums_next
    vpadd.i32   d16, d16, d17
    vpadd.i32   d16, d16, d16
    vadd.i32    d24, d24, d16
    vst1.32     {d24[0]}, [store], store_next
  .endif
.endm

.macro last_pixels rows, channels
    one_by_one \rows, \channels
.endm

#include "conv1x1_s8s32_chw_8x4.inc"
