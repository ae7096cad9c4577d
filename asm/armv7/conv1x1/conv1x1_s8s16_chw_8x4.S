/*toml
summary   = "output[o][p] = sum_i weights[o][i] * input[i][p], int8 x int8 -> int16, CHW, sums kept in output"
prototype = "void (const int8_t *input, const int8_t *weights, int16_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv7-a", "neon"]
stack     = 132
[args]
input        = { reg = "r0", read = "pixels*in_channels", layout = "chw", dtype = "int8", range = [-128, 127] }
weights      = { reg = "r1", read = "out_channels*in_channels", layout = "oc_ic", dtype = "int8", range = [-1, 1] }
output       = { reg = "r2", write = "2*pixels*out_channels", layout = "chw", dtype = "int16" }
pixels       = { reg = "r3", range = [1, 1048576] }
in_channels  = { reg = "stack+0", range = [1, 255] }
out_channels = { reg = "stack+4", range = [1, 65536] }
[counts]
macs = "pixels*in_channels*out_channels"
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

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

#include "../include/function.inc"

in          .req r0         // walks through the input
row         .req r1         // walks through the weights
store       .req r2         // walks through the output
pixels      .req r3         // also the bytes from one input channel to the next
in_next     .req r4         // from the last channel of a piece to the first of the next
sums        .req r5         // where the running sums come from
sums_row    .req r6         // bytes from one row of them to the next: 0 while they are the zeros on the stack
sums_next   .req r7         // from the last row of a piece to the first of the next
store_row   .req r8         // 2 * pixels
store_next  .req r9
count       .req r10
row_on      .req r11        // in_channels - 4: from the fifth weight of a row to the first of the next
row_back    .req r12        // -in_channels - 4: from the fifth weight of row 3 to the first of row 2
in_channels .req r12        // outside the loop over 8 pixels
channels    .req lr         // input channels left, counts down

// The frame, from sp upwards. It need not be a multiple of 8: nothing is called from here.
#define ZEROS        0      /* 16 bytes */
#define INPUT        16
#define WEIGHTS      20     /* row 0 of the four, at the first input channel of the pass */
#define OUTPUT       24     /* row 0 of the four */
#define ROWS_LEFT    28     /* output channels left, counts down */
#define LOCALS       32
#define FRAME        132    /* LOCALS, d8-d15, r4-r11 and lr */
#define IN_CHANNELS  FRAME
#define OUT_CHANNELS (FRAME + 4)

// s += w[0] * input[0] + ... + w[channels - 1] * input[channels - 1]: 8 MACs an instruction
.macro multiply_kept channels, s, w0, w1, w2, w3, w4, w5, w6, w7
    vmlal.s8    \s, d0, \w0
  .if \channels == 8
    vmlal.s8    \s, d1, \w1
    vmlal.s8    \s, d2, \w2
    vmlal.s8    \s, d3, \w3
    vmlal.s8    \s, d4, \w4
    vmlal.s8    \s, d5, \w5
    vmlal.s8    \s, d6, \w6
    vmlal.s8    \s, d7, \w7
  .endif
.endm

// the same with the weights from [row]; then row += after
.macro multiply_streamed s, after
    vld4.8      {d24[], d25[], d26[], d27[]}, [row]!
    vmlal.s8    \s, d0, d24
    vmlal.s8    \s, d1, d25
    vmlal.s8    \s, d2, d26
    vmlal.s8    \s, d3, d27
    vld4.8      {d24[], d25[], d26[], d27[]}, [row], \after
    vmlal.s8    \s, d4, d24
    vmlal.s8    \s, d5, d25
    vmlal.s8    \s, d6, d26
    vmlal.s8    \s, d7, d27
.endm

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
.macro one_pixel rows, channels
  .if \channels == 8
    vld1.8      {d0[]}, [in], pixels                // all lanes, so that none keeps an old value
   .irp lane, 1, 2, 3, 4, 5, 6
    vld1.8      {d0[\lane]}, [in], pixels
   .endr
    vld1.8      {d0[7]}, [in], in_next
  .else
    vmov.i8     d0, #0
    vld1.8      {d0[0]}, [in]!
  .endif
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

// output[rows][pixels] += weights[rows][channels] * input[channels][pixels]
.macro pass rows, channels
    ldr     row, [sp, #WEIGHTS]
    ldr     in_channels, [sp, #IN_CHANNELS]
  .if \channels == 8
    sub     row_on, in_channels, #4
    vld4.8  {d8[], d9[], d10[], d11[]}, [row]!
    vld4.8  {d12[], d13[], d14[], d15[]}, [row], row_on
   .if \rows == 4
    vld4.8  {d16[], d17[], d18[], d19[]}, [row]!
    vld4.8  {d20[], d21[], d22[], d23[]}, [row], row_on
    rsb     row_back, in_channels, #0
    sub     row_back, row_back, #4
   .endif
    rsb     in_next, pixels, pixels, lsl #3
    rsb     in_next, in_next, #8                    // -7 channels, +8 pixels
  .else
    vld1.8  {d8[]}, [row], in_channels
   .if \rows == 4
    vld1.8  {d9[]}, [row], in_channels
    vld1.8  {d10[]}, [row], in_channels
    vld1.8  {d11[]}, [row]
   .endif
    mov     in_next, #8
  .endif
  .if \rows == 4
    add     store_next, store_row, store_row, lsl #1
    rsb     store_next, store_next, #16             // -3 rows, +8 pixels
  .else
    mov     store_next, #16
  .endif
    ldr     store, [sp, #OUTPUT]
    cmp     sums_row, #0
    moveq   sums_next, #0
    movne   sums_next, store_next
    lsrs    count, pixels, #3
    beq     2f
1:                                                  // rows=4, channels=8: 54 instructions, 256 MACs
    eight_pixels \rows, \channels
    subs    count, count, #1
    bne     1b
2:
    ands    count, pixels, #7
    beq     4f
  .if \channels == 8
    ldr     row, [sp, #WEIGHTS]
    ldr     in_channels, [sp, #IN_CHANNELS]
    vld1.8  {d8}, [row], in_channels
   .if \rows == 4
    vld1.8  {d9}, [row], in_channels
    vld1.8  {d10}, [row], in_channels
    vld1.8  {d11}, [row]
   .endif
    sub     in_next, in_next, #7                    // +1 pixel in place of 8
  .endif
    sub     store_next, store_next, #14
    cmp     sums_row, #0
    subne   sums_next, sums_next, #14
3:                                                  // rows=4, channels=8: 30 instructions, 32 MACs
    one_pixel \rows, \channels
    subs    count, count, #1
    bne     3b
4:
  .if \channels == 8                                // in is one channel on
    add     in, in, pixels, lsl #3
    sub     in, in, pixels
  .endif
    ldr     row, [sp, #WEIGHTS]
    add     row, row, #\channels
    str     row, [sp, #WEIGHTS]
    ldr     sums, [sp, #OUTPUT]                     // from the second pass on, the sums are in the output
    mov     sums_row, store_row
.endm

// output[rows][pixels] = weights[rows][in_channels] * input[in_channels][pixels]
.macro output_channels rows
    ldr     in, [sp, #INPUT]
    add     sums, sp, #ZEROS
    mov     sums_row, #0
    ldr     channels, [sp, #IN_CHANNELS]
    subs    channels, channels, #8
    blo     6f
5:
    pass    \rows, 8
    subs    channels, channels, #8
    bhs     5b
6:
    adds    channels, channels, #8
    beq     8f
7:
    pass    \rows, 1
    subs    channels, channels, #1
    bne     7b
8:
  .if \rows == 4                                    // the weights are one row on
    ldr     in_channels, [sp, #IN_CHANNELS]
    ldr     row, [sp, #WEIGHTS]
    add     in_channels, in_channels, in_channels, lsl #1
    add     row, row, in_channels
    str     row, [sp, #WEIGHTS]
    add     sums, sums, store_row, lsl #2
  .else
    add     sums, sums, store_row
  .endif
    str     sums, [sp, #OUTPUT]                     // sums was row 0
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

    ldr     r4, [sp, #OUT_CHANNELS]
    subs    r4, r4, #4
    blo     .Lfewer_than_four
.Lfour:
    str     r4, [sp, #ROWS_LEFT]
    output_channels 4
    ldr     r4, [sp, #ROWS_LEFT]
    subs    r4, r4, #4
    bhs     .Lfour
.Lfewer_than_four:
    adds    r4, r4, #4
    beq     .Ldone
.Lone:
    str     r4, [sp, #ROWS_LEFT]
    output_channels 1
    ldr     r4, [sp, #ROWS_LEFT]
    subs    r4, r4, #1
    bne     .Lone
.Ldone:
    add     sp, sp, #LOCALS
    restore_all_and_return
end_function conv1x1_s8s16_chw_8x4
