/*toml
summary   = "output[o][p] = sum_i weights[o][i] * input[i][p], int8 x int8 -> int32, CHW, sums kept in output"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv8.0-a", "neon"]
stack     = 96
[args]
input        = { reg = "x0", read = "pixels*in_channels", layout = "chw", dtype = "int8", range = [-128, 127] }
weights      = { reg = "x1", read = "out_channels*in_channels", layout = "oc_ic", dtype = "int8", range = [-31, 32] }
output       = { reg = "x2", write = "4*pixels*out_channels", layout = "chw", dtype = "int32" }
pixels       = { reg = "x3", range = [1, 1048576] }
in_channels  = { reg = "x4", range = [1, 65536] }
out_channels = { reg = "x5", range = [1, 65536] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

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
//     +-------------------+    +----------------+    +---------------------+
//     | v16 v17 v18 v19   |    | v4             |    | v8  v9              |  output channel 0
//     | v20 v21 v22 v23   |    | v5             |    | v10 v11             |                 1
//     | v24 v25 v26 v27   |    | v6             |    | v12 v13             |                 2
//     | v28 v29 v30 v31   |    | v7             |    | v14 v15             |                 3
//     +-------------------+    +----------------+    +---------------------+
//       weights: the byte        8 products           running sums, int32,
//       of channel 2j eight      added, int16         loaded and stored again
//       times in the low half,                        in each pass
//       of 2j+1 in the high
//
// All 32 registers are taken: the weights of a pass stay put while the pixels stream by.
//
// Why weights lie in [-31, 32]: eight products are added in int16 before they are widened. The extreme products are
// -128 * 32 = -4096 and 127 * 32 = 4064, -128 * -31 = 3968; eight of them reach -32768 and 32512, both int16. One step
// more does not fit: 8 * (-128 * -32) = 32768 and 8 * (-128 * 33) = -33792. The int32 sums are safe: no more than
// 65536 * 4096 = 2^28.
//
// How the output gets its first value: the first pass loads its running sums not from the output but from 32 bytes of
// zeros on the stack, with a row stride of 0. So nothing needs clearing, and no output byte is read before it is
// written.
//
// Cost of the hot loop, per 8 pixels x 4 output channels x 8 input channels = 256 MACs:
//     32 smull/smlal, 8 saddw, 8 input loads, 4 sum loads, 4 stores, 2 for the loop = 58 instructions, 0.227 per MAC.
// The floor is its multiplies, 32 or 0.125 per MAC. The rest is the price of the scheme: 256 bytes of sums go in and out for
// 64 bytes of input, in every pass. No prefetch: there are 12 plain ascending streams, which hardware finds by itself.

    .arch armv8-a
    .text

#include "../include/function.inc"

input        .req x0
weights      .req x1        // row 0 of the four, at the first input channel of the pass
output       .req x2        // row 0 of the four
pixels       .req x3        // also the bytes from one input channel to the next
in_channels  .req x4        // also the bytes from one row of weights to the next
out_channels .req x5        // counts down
row          .req x6        // walks down the rows of weights
channels     .req x7        // input channels left, counts down
in           .req x8        // walks through the input
in_next      .req x9        // from the last channel of a piece to the first of the next
sums         .req x10       // where the running sums come from
sums_row     .req x11       // bytes from one row of them to the next: 0 while they are the zeros on the stack
sums_next    .req x12       // from the last row of a piece to the first of the next
store        .req x13       // where they go
store_row    .req x14       // 4 * pixels
store_next   .req x15
count        .req x16

// low half of pair = 8 pixels of one channel, high half = 8 pixels of the next; in += after
.macro load_pair pair, after
    ld1     {\pair\().8b}, [in], pixels
    ld1     {\pair\().d}[1], [in], \after
.endm

// s[r] (op)= w[r].low * pair.low for every row r: 8 MACs an instruction; op is smull to begin with, then smlal
.macro multiply_low rows, op, pair, w0, w1, w2, w3
    \op     v4.8h, \pair\().8b, \w0\().8b
  .if \rows == 4
    \op     v5.8h, \pair\().8b, \w1\().8b
    \op     v6.8h, \pair\().8b, \w2\().8b
    \op     v7.8h, \pair\().8b, \w3\().8b
  .endif
.endm

// s[r] += w[r].high * pair.high
.macro multiply_high rows, pair, w0, w1, w2, w3
    smlal2  v4.8h, \pair\().16b, \w0\().16b
  .if \rows == 4
    smlal2  v5.8h, \pair\().16b, \w1\().16b
    smlal2  v6.8h, \pair\().16b, \w2\().16b
    smlal2  v7.8h, \pair\().16b, \w3\().16b
  .endif
.endm

// 8 weights of one row -> 4 registers of [8 copies | 8 copies]: each level of zips doubles the copies
.macro spread_row a, b, c, d
    ld1     {\a\().8b}, [row], in_channels
    zip1    \a\().16b, \a\().16b, \a\().16b         // 00112233 44556677
    zip2    \c\().8h, \a\().8h, \a\().8h            // 4444 5555 6666 7777
    zip1    \a\().8h, \a\().8h, \a\().8h            // 0000 1111 2222 3333
    zip2    \b\().4s, \a\().4s, \a\().4s            // 22222222 33333333
    zip1    \a\().4s, \a\().4s, \a\().4s            // 00000000 11111111
    zip2    \d\().4s, \c\().4s, \c\().4s            // 66666666 77777777
    zip1    \c\().4s, \c\().4s, \c\().4s            // 44444444 55555555
.endm

// running sums (8 x int32) += s (8 x int16), and back to memory; store += after
.macro widen_and_store s, low, high, after
    saddw   \low\().4s, \low\().4s, \s\().4h
    saddw2  \high\().4s, \high\().4s, \s\().8h
    st1     {\low\().4s, \high\().4s}, [store], \after
.endm

// output[rows][8 pixels] += weights[rows][channels] * input[channels][8 pixels]
.macro eight_pixels rows, channels
  .if \channels == 8
    load_pair v0, pixels
    load_pair v1, pixels
    multiply_low  \rows, smull, v0, v16, v20, v24, v28
    load_pair v2, pixels
    multiply_high \rows, v0, v16, v20, v24, v28
    load_pair v3, in_next
    multiply_low  \rows, smlal, v1, v17, v21, v25, v29
  .else
    ld1     {v0.8b}, [in], in_next
    multiply_low  \rows, smull, v0, v16, v20, v24, v28
  .endif
  .if \rows == 4
    ld1     {v8.4s, v9.4s}, [sums], sums_row
    ld1     {v10.4s, v11.4s}, [sums], sums_row
    ld1     {v12.4s, v13.4s}, [sums], sums_row
    ld1     {v14.4s, v15.4s}, [sums], sums_next
  .else
    ld1     {v8.4s, v9.4s}, [sums], sums_next
  .endif
  .if \channels == 8
    multiply_high \rows, v1, v17, v21, v25, v29
    multiply_low  \rows, smlal, v2, v18, v22, v26, v30
    multiply_high \rows, v2, v18, v22, v26, v30
    multiply_low  \rows, smlal, v3, v19, v23, v27, v31
    multiply_high \rows, v3, v19, v23, v27, v31
  .endif
  .if \rows == 4
    widen_and_store v4, v8, v9, store_row
    widen_and_store v5, v10, v11, store_row
    widen_and_store v6, v12, v13, store_row
    widen_and_store v7, v14, v15, store_next
  .else
    widen_and_store v4, v8, v9, store_next
  .endif
.endm

// output[rows][1 pixel] += weights[rows][channels] * input[channels][1 pixel]: here a vector holds 8 input channels,
// v16-v19 the rows of weights as they lie in memory, and each row is added up across
.macro one_pixel rows, channels
  .if \channels == 8
    ld1r    {v0.8b}, [in], pixels                    // all lanes, so that none keeps an old value
   .irp lane, 1, 2, 3, 4, 5, 6
    ld1     {v0.b}[\lane], [in], pixels
   .endr
    ld1     {v0.b}[7], [in], in_next
  .else
    ldr     b0, [in], #1                             // the other lanes become 0
  .endif
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

// output[rows][pixels] += weights[rows][channels] * input[channels][pixels]
.macro pass rows, channels
    mov     row, weights
  .if \channels == 8
    spread_row v16, v17, v18, v19
   .if \rows == 4
    spread_row v20, v21, v22, v23
    spread_row v24, v25, v26, v27
    spread_row v28, v29, v30, v31
   .endif
    sub     in_next, pixels, pixels, lsl #3          // -7 channels
    add     in_next, in_next, #8                      // +8 pixels
  .else
    ld1r    {v16.8b}, [row], in_channels
   .if \rows == 4
    ld1r    {v20.8b}, [row], in_channels
    ld1r    {v24.8b}, [row], in_channels
    ld1r    {v28.8b}, [row]
   .endif
    mov     in_next, #8
  .endif
  .if \rows == 4
    sub     store_next, store_row, store_row, lsl #2    // -3 rows
    add     store_next, store_next, #32                 // +8 pixels
  .else
    mov     store_next, #32
  .endif
    mov     store, output
    cmp     sums_row, #0
    csel    sums_next, store_next, xzr, ne
    lsr     count, pixels, #3
    cbz     count, 2f
1:                                                  // rows=4, channels=8: 58 instructions, 256 MACs
    eight_pixels \rows, \channels
    subs    count, count, #1
    b.ne    1b
2:
    ands    count, pixels, #7
    b.eq    4f
    mov     row, weights
  .if \channels == 8
    ld1     {v16.8b}, [row], in_channels
   .if \rows == 4
    ld1     {v17.8b}, [row], in_channels
    ld1     {v18.8b}, [row], in_channels
    ld1     {v19.8b}, [row]
   .endif
    sub     in_next, in_next, #7                      // +1 pixel in place of 8
  .else
   .if \rows == 4                                   // v16 is as it must be
    mov     v17.8b, v20.8b
    mov     v18.8b, v24.8b
    mov     v19.8b, v28.8b
   .endif
  .endif
    sub     store_next, store_next, #28
    cmp     sums_row, #0
    csel    sums_next, store_next, xzr, ne
3:                                                  // rows=4, channels=8: 30 instructions, 32 MACs
    one_pixel \rows, \channels
    subs    count, count, #1
    b.ne    3b
4:
  .if \channels == 8                                // in is one channel on
    add     in, in, pixels, lsl #3
    sub     in, in, pixels
  .endif
    add     weights, weights, #\channels
    mov     sums, output                            // from the second pass on, the sums are in the output
    mov     sums_row, store_row
.endm

// output[rows][pixels] = weights[rows][in_channels] * input[in_channels][pixels]
.macro output_channels rows
    mov     in, input
    mov     sums, sp                                // the zeros
    mov     sums_row, #0
    subs    channels, in_channels, #8
    b.lo    6f
5:
    pass    \rows, 8
    subs    channels, channels, #8
    b.hs    5b
6:
    adds    channels, channels, #8
    b.eq    8f
7:
    pass    \rows, 1
    subs    channels, channels, #1
    b.ne    7b
8:
  .if \rows == 4                                    // the weights are one row on
    add     weights, weights, in_channels, lsl #1
    add     weights, weights, in_channels
    add     output, output, store_row, lsl #2
  .else
    add     output, output, store_row
  .endif
.endm

function conv1x1_s8s32_chw_8x4
    sub     sp, sp, #96
    stp     xzr, xzr, [sp]
    stp     xzr, xzr, [sp, #16]
    save_vectors_at 32
    lsl     store_row, pixels, #2

    subs    out_channels, out_channels, #4
    b.lo    .Lfewer_than_four
.Lfour:
    output_channels 4
    subs    out_channels, out_channels, #4
    b.hs    .Lfour
.Lfewer_than_four:
    adds    out_channels, out_channels, #4
    b.eq    .Ldone
.Lone:
    output_channels 1
    subs    out_channels, out_channels, #1
    b.ne    .Lone
.Ldone:
    restore_vectors_at 32
    add     sp, sp, #96
    ret
end_function conv1x1_s8s32_chw_8x4
