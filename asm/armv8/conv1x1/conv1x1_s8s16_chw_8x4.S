/*toml
extends   = "conv1x1_chw_8x4.inc"
summary   = "output[o][p] = sum_i weights[o][i] * input[i][p], int8 x int8 -> int16, CHW, sums kept in output"
prototype = "void (const int8_t *input, const int8_t *weights, int16_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
stack     = 16
[args]
weights     = { range = [-1, 1] }
output      = { write = "2*pixels*out_channels", dtype = "int16" }
in_channels = { range = [1, 255] }
*/

// What becomes of the CHW scheme when its sums are int16: the products are added to them as they are, nothing is
// widened, and half as many bytes go in and out.
//
// The loops, outermost first; the tile is 8 pixels x 4 output channels, and a pass adds 8 input channels to it:
//
//     for each 4 output channels            then the last 0-3 one at a time
//         for each 8 input channels         then the last 0-7 one at a time        = a pass
//             for each 8 pixels             then the last 0-7 one at a time
//                 output[4][8] += weights[4][8] * input[8][8]
//
// The tile, and where it lives:
//
//                                   8 pixels
//                              +----------------+
//                              | v0 lo          |  input channel 0      two channels share a register,
//                    input     | v0 hi          |                1      one in each half: smlal takes the
//                    8 x 8     | v1 lo          |                2      low halves, smlal2 the high ones
//                    int8      |  ...           |
//                              | v3 hi          |                7
//                              +----------------+
//     +-------------------+    +----------------+
//     | v16 v17 v18 v19   |    | v4             |  output channel 0
//     | v20 v21 v22 v23   |    | v5             |                 1
//     | v24 v25 v26 v27   |    | v6             |                 2
//     | v28 v29 v30 v31   |    | v7             |                 3
//     +-------------------+    +----------------+
//       weights: the byte        running sums, int16, loaded and
//       of channel 2j eight      stored again in each pass
//       times in the low half,
//       of 2j+1 in the high
//
// Why weights lie in [-1, 1] and there are at most 255 input channels: a sum reaches 255 * 128 = 32640; one more input
// channel makes -128 * -1 * 256 = 32768, which is no int16. The kernel serves ternary weights; for others the sum of the
// weights' magnitudes of each output channel must be no more than 255, which the ranges above cannot say.
//
// How the output gets its first value: the first pass loads its running sums not from the output but from 16 bytes of
// zeros on the stack, with a row stride of 0. So nothing needs clearing, and no output byte is read before it is
// written.
//
// Cost of the hot loop, per 8 pixels x 4 output channels x 8 input channels = 256 MACs:
//     32 smlal, 8 input loads, 4 sum loads, 4 stores, 2 for the loop = 50 instructions, 0.195 per MAC.
// The floor is its multiplies, 32 or 0.125 per MAC. 128 bytes of sums go in and out for 64 bytes of input, in every pass.
// No prefetch: there are 12 plain ascending streams, which hardware finds by itself.

#define SUM_SHIFT 1
#include "conv1x1_chw_8x4.inc"

// the hot loop, with 2 instructions around it, rows=4, channels=8: 50 instructions, 256 MACs
// output[rows][8 pixels] += weights[rows][channels] * input[channels][8 pixels]
.macro eight_pixels rows, channels
  .if \rows == 4
    ld1     {v4.8h}, [sums], sums_row
    ld1     {v5.8h}, [sums], sums_row
    ld1     {v6.8h}, [sums], sums_row
    ld1     {v7.8h}, [sums], sums_next
  .else
    ld1     {v4.8h}, [sums], sums_next
  .endif
  .if \channels == 8
    load_pair 8, v0, pixels
    load_pair 8, v1, pixels
    multiply_low  \rows, smlal, v0, v16, v20, v24, v28
    load_pair 8, v2, pixels
    multiply_high \rows, v0, v16, v20, v24, v28
    load_pair 8, v3, in_next
    multiply_low  \rows, smlal, v1, v17, v21, v25, v29
    multiply_high \rows, v1, v17, v21, v25, v29
    multiply_low  \rows, smlal, v2, v18, v22, v26, v30
    multiply_high \rows, v2, v18, v22, v26, v30
    multiply_low  \rows, smlal, v3, v19, v23, v27, v31
    multiply_high \rows, v3, v19, v23, v27, v31
  .else
    ld1     {v0.8b}, [in], in_next
    multiply_low  \rows, smlal, v0, v16, v20, v24, v28
  .endif
  .if \rows == 4
    st1     {v4.8h}, [store], store_row
    st1     {v5.8h}, [store], store_row
    st1     {v6.8h}, [store], store_row
    st1     {v7.8h}, [store], store_next
  .else
    st1     {v4.8h}, [store], store_next
  .endif
.endm

// output[rows][1 pixel] += weights[rows][channels] * input[channels][1 pixel]: here a vector holds 8 input channels,
// v16-v19 the rows of weights as they lie in memory, and each row is added up across
// The loop with 2 instructions around it, rows=4, channels=8: 28 instructions, 32 MACs.
.macro one_pixel rows, channels
    load_one_pixel \channels
    smull   v4.8h, v0.8b, v16.8b
  .if \rows == 4
    smull   v5.8h, v0.8b, v17.8b
    smull   v6.8h, v0.8b, v18.8b
    smull   v7.8h, v0.8b, v19.8b
    ld1r    {v1.4h}, [sums], sums_row
    ld1     {v1.h}[1], [sums], sums_row
    ld1     {v1.h}[2], [sums], sums_row
    ld1     {v1.h}[3], [sums], sums_next
    addp    v4.8h, v4.8h, v5.8h
    addp    v6.8h, v6.8h, v7.8h
    addp    v4.8h, v4.8h, v6.8h
    addp    v4.8h, v4.8h, v4.8h                     // lane r = row r
    add     v1.4h, v1.4h, v4.4h
    st1     {v1.h}[0], [store], store_row
    st1     {v1.h}[1], [store], store_row
    st1     {v1.h}[2], [store], store_row
    st1     {v1.h}[3], [store], store_next
  .else
    ld1r    {v1.4h}, [sums], sums_next
    addv    h4, v4.8h
    add     v1.4h, v1.4h, v4.4h
    st1     {v1.h}[0], [store], store_next
  .endif
.endm

.macro last_pixels rows, channels
    one_by_one \rows, \channels
.endm

function conv1x1_s8s16_chw_8x4
    stp     xzr, xzr, [sp, #-16]!
    lsl     store_row, pixels, #1
    all_output_channels
    add     sp, sp, #16
    ret
end_function conv1x1_s8s16_chw_8x4
