/*toml
summary   = "output[o][p] = sum_i weights[o][i] * input[i][p], int8 x int8 -> int32, CHW, pixels % 8 = 4"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv8.0-a", "neon"]
stack     = 96
[args]
input        = { reg = "x0", read = "pixels*in_channels", layout = "chw", dtype = "int8", range = [-128, 127] }
weights      = { reg = "x1", read = "out_channels*in_channels", layout = "oc_ic", dtype = "int8", range = [-31, 32] }
output       = { reg = "x2", write = "4*pixels*out_channels", layout = "chw", dtype = "int32" }
pixels       = { reg = "x3", range = [4, 1048572], step = 8 }
in_channels  = { reg = "x4", range = [1, 65536] }
out_channels = { reg = "x5", range = [1, 65536] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// The loops, outermost first; the tile is 8 pixels x 4 output channels, and a pass adds 8 input channels to it:
//
//     for each 4 output channels            then the last 0-3 one at a time
//         for each 8 input channels         then the last 0-7 one at a time        = a pass
//             for each 8 pixels             then the last 4 in one go
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
// The last 4 pixels run through the same multiplies. Their vectors are half empty: each channel fills 4 of its 8 lanes,
// the other lanes are 0 or repeat them, and only 4 sums are widened and stored. Nothing is read beyond the 4 pixels.
// 14 x 14 pixels, a common size, is such a case; the kernel without _left4 would take them one by one.
//
// Cost of the hot loop, per 8 pixels x 4 output channels x 8 input channels = 256 MACs:
//     32 smull/smlal, 8 saddw, 8 input loads, 4 sum loads, 4 stores, 2 for the loop = 58 instructions, 0.227 per MAC.
// The floor is its multiplies, 32 or 0.125 per MAC. The rest is the price of the scheme: 256 bytes of sums go in and out for
// 64 bytes of input, in every pass. The last 4 pixels cost 52 instructions for 128 MACs.
// No prefetch: there are 12 plain ascending streams, which hardware finds by itself.

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

// low half of pair = 8 or 4 pixels of one channel, high half = as many of the next; in += after
.macro load_pair width, pair, after
  .if \width == 8
    ld1     {\pair\().8b}, [in], pixels
    ld1     {\pair\().d}[1], [in], \after
  .else
    ld1r    {\pair\().2s}, [in], pixels            // twice in the low half, so that no lane keeps an old value
    ld1     {\pair\().s}[2], [in], \after          // once in the high half, which is 0 otherwise
  .endif
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

// low, high = 8 running sums, or low = 4; sums += after
.macro load_sums width, low, high, after
  .if \width == 8
    ld1     {\low\().4s, \high\().4s}, [sums], \after
  .else
    ld1     {\low\().4s}, [sums], \after
  .endif
.endm

// running sums (int32) += s (int16), and back to memory; store += after
.macro widen_and_store width, s, low, high, after
    saddw   \low\().4s, \low\().4s, \s\().4h
  .if \width == 8
    saddw2  \high\().4s, \high\().4s, \s\().8h
    st1     {\low\().4s, \high\().4s}, [store], \after
  .else
    st1     {\low\().4s}, [store], \after
  .endif
.endm

// output[rows][width pixels] += weights[rows][channels] * input[channels][width pixels]
.macro some_pixels rows, channels, width
  .if \channels == 8
    load_pair \width, v0, pixels
    load_pair \width, v1, pixels
    multiply_low  \rows, smull, v0, v16, v20, v24, v28
    load_pair \width, v2, pixels
    multiply_high \rows, v0, v16, v20, v24, v28
    load_pair \width, v3, in_next
    multiply_low  \rows, smlal, v1, v17, v21, v25, v29
  .else
   .if \width == 8
    ld1     {v0.8b}, [in], in_next
   .else
    ldr     s0, [in], #4
   .endif
    multiply_low  \rows, smull, v0, v16, v20, v24, v28
  .endif
  .if \rows == 4
    load_sums \width, v8, v9, sums_row
    load_sums \width, v10, v11, sums_row
    load_sums \width, v12, v13, sums_row
    load_sums \width, v14, v15, sums_next
  .else
    load_sums \width, v8, v9, sums_next
  .endif
  .if \channels == 8
    multiply_high \rows, v1, v17, v21, v25, v29
    multiply_low  \rows, smlal, v2, v18, v22, v26, v30
    multiply_high \rows, v2, v18, v22, v26, v30
    multiply_low  \rows, smlal, v3, v19, v23, v27, v31
    multiply_high \rows, v3, v19, v23, v27, v31
  .endif
  .if \rows == 4
    widen_and_store \width, v4, v8, v9, store_row
    widen_and_store \width, v5, v10, v11, store_row
    widen_and_store \width, v6, v12, v13, store_row
    widen_and_store \width, v7, v14, v15, store_next
  .else
    widen_and_store \width, v4, v8, v9, store_next
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
    some_pixels \rows, \channels, 8
    subs    count, count, #1
    b.ne    1b
2:                                                  // rows=4, channels=8: 52 instructions, 128 MACs
  .if \channels == 8
    sub     in_next, in_next, #4                    // +4 pixels in place of 8; nothing comes after these sums
  .endif
    some_pixels \rows, \channels, 4
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

function conv1x1_s8s32_chw_8x4_left4
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
end_function conv1x1_s8s32_chw_8x4_left4
