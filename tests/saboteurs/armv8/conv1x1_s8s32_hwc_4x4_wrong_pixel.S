// Wrong as it stands, for the README: the upper half of pixel 1 is taken from pixel 0.
/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, sums kept in registers"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv8.0-a", "neon"]
stack     = 64
[args]
input        = { reg = "x0", read = "pixels*in_channels", layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "x1", read = "out_channels*in_channels", layout = "oc_ic", dtype = "int8", range = [-127, 127] }
output       = { reg = "x2", write = "4*pixels*out_channels", layout = "hwc", dtype = "int32" }
pixels       = { reg = "x3", range = [1, 1048576] }
in_channels  = { reg = "x4", range = [1, 65536] }
out_channels = { reg = "x5", range = [1, 65536] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// The loops, outermost first; the tile is 4 pixels x 4 output channels:
//
//     for each 4 pixels                     then the last 0-3 one at a time
//         for each 4 output channels        the last 1-3 as 4, of which 1-3 are stored
//             for each 32 input channels    then 16, then the last 0-15 in one go
//                 sums[4][4] += input[4][32] * weights[4][32]
//             output[4][4] = sums
//
// In HWC the input channels of a pixel lie side by side, as do those of a row of weights: both sides of the product
// load as they are, and nothing is copied across lanes before the end.
//
// The tile, and where it lives:
//
//                                     32 weights of one output channel
//                                           +---------+
//                                 channel 0 | v8  v9  |
//                                         1 | v10 v11 |
//                                         2 | v8  v9  |
//                                         3 | v10 v11 |
//                                           +---------+
//                    +-------+     +-------------------------+
//            pixel 0 | v0 v1 |     | v16   v20   v24   v28   |        v12-v15: two products added, int16,
//                  1 | v2 v3 |     | v17   v21   v25   v29   |                 on their way into the sums
//                  2 | v4 v5 |     | v18   v22   v26   v30   |
//                  3 | v6 v7 |     | v19   v23   v27   v31   |
//                    +-------+     +-------------------------+
//           32 input channels        sums: 4 x int32 each, to be added up
//                                    across when all input channels are in
//
// All 32 registers are taken. A larger tile would not fit, a smaller one would load more for each multiply.
//
// Why weights lie in [-127, 127]: smull and smlal2 add two products in int16. -128 * -127 twice is 32512 and
// -128 * 127 twice is -32512, both int16; only -128 * -128 twice, 32768, is not. The int32 sums are safe:
// 65536 * 128 * 127 = 1 065 353 216.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 32 input channels = 512 MACs:
//     32 smull, 32 smlal2, 32 sadalp, 8 ldp, 2 for the loop = 106 instructions, 0.207 per MAC.
// The floor is three instructions for 16 MACs, 96 or 0.1875 per MAC: 16 loads of 16 bytes cannot feed 512 MACs in less
// than 8 ldp. Around the hot loop a tile costs 49 instructions, whatever the number of input channels: 16 to clear the
// sums, 12 to add them up across, 4 to store them, the rest to move 8 pointers and to find that nothing is left over.
// The bytes: 256 loaded for 512 MACs, 4 stored for each output, once.
// No prefetch: 8 ascending streams, of which the weights come back from the cache for every 4 pixels.

    .arch armv8-a
    .text

input        .req x0        // pixel 0 of the tile, walks along the input channels
weights      .req x1
store        .req x2        // output of pixel 0, walks along the output channels
pixels       .req x3        // counts down
in_channels  .req x4
out_channels .req x5
input1       .req x6
input2       .req x7
input3       .req x8
row0         .req x9        // row of weights, walks along the input channels
row1         .req x10
row2         .req x11
row3         .req x12
store1       .req x13
store2       .req x14
store3       .req x15
channels     .req x16       // input channels left, counts down
outputs      .req x17       // output channels left, counts down

// s[p] (4 x int32) += a[p] * w, 16 input channels, for every pixel p: 16 MACs in three instructions
.macro dot n, w, a0, a1, a2, a3, s0, s1, s2, s3
    smull   v12.8h, \a0\().8b, \w\().8b
  .if \n == 4
    smull   v13.8h, \a1\().8b, \w\().8b
    smull   v14.8h, \a2\().8b, \w\().8b
    smull   v15.8h, \a3\().8b, \w\().8b
  .endif
    smlal2  v12.8h, \a0\().16b, \w\().16b
  .if \n == 4
    smlal2  v13.8h, \a0\().16b, \w\().16b
    smlal2  v14.8h, \a2\().16b, \w\().16b
    smlal2  v15.8h, \a3\().16b, \w\().16b
  .endif
    sadalp  \s0\().4s, v12.8h
  .if \n == 4
    sadalp  \s1\().4s, v13.8h
    sadalp  \s2\().4s, v14.8h
    sadalp  \s3\().4s, v15.8h
  .endif
.endm

// one output channel, 32 input channels: w, wh are the weights
.macro dot_32 n, w, wh, s0, s1, s2, s3
    dot     \n, \w, v0, v2, v4, v6, \s0, \s1, \s2, \s3
    dot     \n, \wh, v1, v3, v5, v7, \s0, \s1, \s2, \s3
.endm

// all four output channels, 16 input channels: pixels in v0, v2, v4, v6, weights in v8-v11
.macro four_dots n
    dot     \n, v8, v0, v2, v4, v6, v16, v17, v18, v19
    dot     \n, v9, v0, v2, v4, v6, v20, v21, v22, v23
    dot     \n, v10, v0, v2, v4, v6, v24, v25, v26, v27
    dot     \n, v11, v0, v2, v4, v6, v28, v29, v30, v31
.endm

// the next bytes of each pixel and of each row into one lane, {v.s}[2] say, or into all of {v.16b}
.macro load_lanes n, type, lane, bytes
    ld1     {v0.\type}\lane, [input], #\bytes
  .if \n == 4
    ld1     {v2.\type}\lane, [input1], #\bytes
    ld1     {v4.\type}\lane, [input2], #\bytes
    ld1     {v6.\type}\lane, [input3], #\bytes
  .endif
    ld1     {v8.\type}\lane, [row0], #\bytes
    ld1     {v9.\type}\lane, [row1], #\bytes
    ld1     {v10.\type}\lane, [row2], #\bytes
    ld1     {v11.\type}\lane, [row3], #\bytes
.endm

// s0 = [sum of s0, sum of s1, sum of s2, sum of s3]: one pixel, one output channel in each lane
.macro add_across s0, s1, s2, s3
    addp    \s0\().4s, \s0\().4s, \s1\().4s
    addp    \s2\().4s, \s2\().4s, \s3\().4s
    addp    \s0\().4s, \s0\().4s, \s2\().4s
.endm

// 1 to 3 of the four lanes of s, as the lowest bits of outputs say
.macro store_some s, to
    tbz     outputs, #1, 1f
    st1     {\s\().2s}, [\to], #8
    dup     \s\().2d, \s\().d[1]
1:
    tbz     outputs, #0, 2f
    st1     {\s\().s}[0], [\to], #4
2:
.endm

// output[n pixels][out_channels] = input[n pixels][in_channels] * weights, and on to the next n pixels
.macro some_pixels n
  .if \n == 4
    add     input1, input, in_channels
    add     input2, input1, in_channels
    add     input3, input2, in_channels
    add     store1, store, out_channels, lsl #2
    add     store2, store1, out_channels, lsl #2
    add     store3, store2, out_channels, lsl #2
  .endif
    mov     row0, weights
    mov     outputs, out_channels
10:                                                 // four output channels
    add     row1, row0, in_channels
    add     row2, row1, in_channels
    add     row3, row2, in_channels
    cmp     outputs, #4
    b.hs    11f
    cmp     outputs, #2                             // rows that are not there: the last one again, and not stored
    csel    row1, row0, row1, lo
    csel    row2, row1, row2, ls
    mov     row3, row2
11:
  .irp half, d16, d20, d24, d28                     // writing the low half clears the high one
    movi    \half, #0
  .endr
  .if \n == 4
   .irp half, d17, d18, d19, d21, d22, d23, d25, d26, d27, d29, d30, d31
    movi    \half, #0
   .endr
  .endif
    subs    channels, in_channels, #32
    b.lo    13f
12:                                                 // n=4: 106 instructions, 512 MACs
    ldp     q0, q1, [input], #32
    ldp     q8, q9, [row0], #32
  .if \n == 4
    ldp     q2, q3, [input1], #32
    ldp     q4, q5, [input2], #32
    ldp     q6, q7, [input3], #32
  .endif
    ldp     q10, q11, [row1], #32
    dot_32  \n, v8, v9, v16, v17, v18, v19
    ldp     q8, q9, [row2], #32
    dot_32  \n, v10, v11, v20, v21, v22, v23
    ldp     q10, q11, [row3], #32
    dot_32  \n, v8, v9, v24, v25, v26, v27
    subs    channels, channels, #32
    dot_32  \n, v10, v11, v28, v29, v30, v31
    b.hs    12b
13:
    tst     in_channels, #31
    b.eq    19f
    tbz     in_channels, #4, 14f
    load_lanes \n, 16b, , 16
    four_dots \n
14:
    tst     in_channels, #15
    b.eq    19f
  .irp half, d0, d2, d4, d6, d8, d9, d10, d11
    movi    \half, #0
  .endr
    tbz     in_channels, #3, 15f
    load_lanes \n, d, [0], 8
15:
    tbz     in_channels, #2, 16f
    load_lanes \n, s, [2], 4
16:
    tbz     in_channels, #1, 17f
    load_lanes \n, h, [6], 2
17:
    tbz     in_channels, #0, 18f
    load_lanes \n, b, [14], 1
18:
    four_dots \n
19:
    add_across v16, v20, v24, v28
    sub     input, input, in_channels
  .if \n == 4
    add_across v17, v21, v25, v29
    add_across v18, v22, v26, v30
    add_across v19, v23, v27, v31
    sub     input1, input1, in_channels
    sub     input2, input2, in_channels
    sub     input3, input3, in_channels
  .endif
    subs    outputs, outputs, #4
    b.lo    20f
    str     q16, [store], #16
  .if \n == 4
    str     q17, [store1], #16
    str     q18, [store2], #16
    str     q19, [store3], #16
  .endif
    mov     row0, row3                              // the end of row 3 is the start of the next
    b.hi    10b
    b       21f
20:
    add     outputs, outputs, #4
    store_some v16, store
  .if \n == 4
    store_some v17, store1
    store_some v18, store2
    store_some v19, store3
  .endif
21:
  .if \n == 4                                       // the end of pixel 3 is the start of the next
    add     input, input3, in_channels
    mov     store, store3
  .else
    add     input, input, in_channels
  .endif
.endm

    .p2align 4
    .global conv1x1_s8s32_hwc_4x4_wrong_pixel
    .type   conv1x1_s8s32_hwc_4x4_wrong_pixel, %function
conv1x1_s8s32_hwc_4x4_wrong_pixel:
    stp     d8, d9, [sp, #-64]!
    stp     d10, d11, [sp, #16]
    stp     d12, d13, [sp, #32]
    stp     d14, d15, [sp, #48]

    subs    pixels, pixels, #4
    b.lo    .Lfewer_than_four
.Lfour:
    some_pixels 4
    subs    pixels, pixels, #4
    b.hs    .Lfour
.Lfewer_than_four:
    adds    pixels, pixels, #4
    b.eq    .Ldone
.Lone:
    some_pixels 1
    subs    pixels, pixels, #1
    b.ne    .Lone
.Ldone:
    ldp     d10, d11, [sp, #16]
    ldp     d12, d13, [sp, #32]
    ldp     d14, d15, [sp, #48]
    ldp     d8, d9, [sp], #64
    ret
    .size   conv1x1_s8s32_hwc_4x4_wrong_pixel, . - conv1x1_s8s32_hwc_4x4_wrong_pixel

    .section .note.GNU-stack,"",%progbits
