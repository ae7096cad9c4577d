/*toml
extends   = "conv1x1_chw_8x4.inc"
summary   = "output[o][p] = sum_i weights[o][i] * input[i][p], int8 x int8 -> int16, CHW, sums kept in output"
prototype = "void (const int8_t *input, const int8_t *weights, int16_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
stack     = 132
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
//                                          8 pixels
//                                     +----------------+
//                                     | d0             |  input channel 0
//                             input   | d1             |                1
//                             8 x 8   |  ...           |
//                             int8    | d7             |                7
//                                     +----------------+
//     +--------------------------+    +----------------+
//     | d8  d9  d10 ... d15      |    | q14            |  output channel 0
//     | d16 d17 d18 ... d23      |    | q15            |                 1
//     | d24 d25 d26 d27, twice   |    | q14            |                 2
//     | d24 d25 d26 d27, twice   |    | q15            |                 3
//     +--------------------------+    +----------------+
//       weights: one byte              running sums, int16, loaded
//       eight times                    and stored again in each pass
//
// int8 has no multiply by a lane, so every weight needs a register of its own, 32 of them: all there are. Two rows stay
// in registers during a pass. The other two are read again for every 8 pixels, four weights at a time, by vld4 to all
// lanes.
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
//     32 vmlal, 8 input loads, 4 weight loads, 4 sum loads, 4 stores, 2 for the loop = 54 instructions, 0.211 per MAC.
// The floor is its multiplies, 32 or 0.125 per MAC. 128 bytes of sums go in and out for 64 bytes of input, in every pass.
// No prefetch: there are 12 plain ascending streams, which hardware finds by itself.

#define SUM_SHIFT 1
#define FIRST vmlal.s8
#define ZEROS        0      /* 16 bytes */
#define INPUT        16
#define WEIGHTS      20     /* row 0 of the four, at the first input channel of the pass */
#define OUTPUT       24     /* row 0 of the four */
#define ROWS_LEFT    28     /* output channels left, counts down */
#define LOCALS       32
#define FRAME        132    /* LOCALS, d8-d15, r4-r11 and lr */
#include "conv1x1_chw_8x4.inc"

// the hot loop, with 2 instructions around it, rows=4, channels=8: 54 instructions, 256 MACs
// output[rows][8 pixels] += weights[rows][channels] * input[channels][8 pixels]
.macro eight_pixels rows, channels
  .if \channels == 8
   .irp channel, 0, 1, 2, 3, 4, 5, 6
    vld1.8      {d\channel}, [in], pixels
   .endr
    vld1.8      {d7}, [in], in_next
  .else
    vld1.8      {d0}, [in], in_next
  .endif
  .if \rows == 4
    vld1.16     {d28, d29}, [sums], sums_row
    vld1.16     {d30, d31}, [sums], sums_row
    multiply_kept \channels, q14, d8, d9, d10, d11, d12, d13, d14, d15
   .if \channels == 8
    multiply_kept 8, q15, d16, d17, d18, d19, d20, d21, d22, d23
   .else
    multiply_kept 1, q15, d9
   .endif
    vst1.16     {d28, d29}, [store], store_row
    vst1.16     {d30, d31}, [store], store_row
    vld1.16     {d28, d29}, [sums], sums_row
    vld1.16     {d30, d31}, [sums], sums_next
   .if \channels == 8
    multiply_streamed q14, row_on
    multiply_streamed q15, row_back
   .else
    multiply_kept 1, q14, d10
    multiply_kept 1, q15, d11
   .endif
    vst1.16     {d28, d29}, [store], store_row
    vst1.16     {d30, d31}, [store], store_next
  .else
    vld1.16     {d28, d29}, [sums], sums_next
    multiply_kept \channels, q14, d8, d9, d10, d11, d12, d13, d14, d15
    vst1.16     {d28, d29}, [store], store_next
  .endif
.endm

// output[rows][1 pixel] += weights[rows][channels] * input[channels][1 pixel]: here a vector holds 8 input channels,
// d8-d11 the rows of weights as they lie in memory, and each row is added up across
// The loop with 2 instructions around it, rows=4, channels=8: 30 instructions, 32 MACs.
.macro one_pixel rows, channels
    load_one_pixel \channels
    vmull.s8    q8, d0, d8
  .if \rows == 4
    vmull.s8    q9, d0, d9
    vmull.s8    q10, d0, d10
    vmull.s8    q11, d0, d11
    vld1.16     {d24[]}, [sums], sums_row
    vld1.16     {d24[1]}, [sums], sums_row
    vld1.16     {d24[2]}, [sums], sums_row
    vld1.16     {d24[3]}, [sums], sums_next
    vpadd.i16   d16, d16, d17
    vpadd.i16   d17, d18, d19
    vpadd.i16   d18, d20, d21
    vpadd.i16   d19, d22, d23
    vpadd.i16   d16, d16, d17                       // rows 0, 1
    vpadd.i16   d17, d18, d19                       // rows 2, 3
    vpadd.i16   d16, d16, d17                       // lane r = row r
    vadd.i16    d24, d24, d16
    vst1.16     {d24[0]}, [store], store_row
    vst1.16     {d24[1]}, [store], store_row
    vst1.16     {d24[2]}, [store], store_row
    vst1.16     {d24[3]}, [store], store_next
  .else
    vld1.16     {d24[]}, [sums], sums_next
    vpadd.i16   d16, d16, d17
    vpadd.i16   d16, d16, d16
    vpadd.i16   d16, d16, d16
    vadd.i16    d24, d24, d16
    vst1.16     {d24[0]}, [store], store_next
  .endif
.endm

.macro last_pixels rows, channels
    one_by_one \rows, \channels
.endm

function conv1x1_s8s16_chw_8x4
    save_all
    sub     sp, sp, #LOCALS
    str     r0, [sp, #INPUT]
    str     r1, [sp, #WEIGHTS]
    str     r2, [sp, #OUTPUT]
    add     r4, sp, #ZEROS
    vmov.i8 q0, #0
    vst1.32 {d0, d1}, [r4]
    lsl     store_row, pixels, #1
    all_output_channels
    add     sp, sp, #LOCALS
    restore_all_and_return
end_function conv1x1_s8s16_chw_8x4
