/*toml
extends = "conv1x1_s8s32_hwc_few_channels.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, up to 32 input channels, weights in registers"
[args]
input   = { range = [-128, 127] }
weights = { range = [-127, 127] }
*/

// 2 pixels at a time, then the last one; a panel has 32 input channels of each output channel in turn. Where
// conv1x1_s8s32_hwc_4x4 loads its weights again for every 4 pixels, and moves 8 pointers for 512 products, a pixel is one
// load here.
//
// Where the tile lives:
//
//                                         32 weights
//                                        +-----------+
//                       output channel 0 | v16  v17  |
//                                      1 | v18  v19  |
//                                        |    ...    |
//                                      7 | v30  v31  |
//                                        +-----------+
//                    +-------+           +-----------+
//            pixel 0 | v0 v1 |           |  v8-v15   |       v4-v7: two products added, int16,
//                  1 | v2 v3 |           | (in turn) |              on their way into the sums
//                    +-------+           +-----------+
//           32 input channels       sums of an output channel: 4 x int32,
//                                   added up across at once
//
// Why weights lie in [-127, 127]: smull and smlal2 add two products in int16. -128 * -127 twice is 32512 and
// -128 * 127 twice is -32512, both int16; only -128 * -128 twice, 32768, is not.
//
// Cost of the hot loop, per 2 pixels x 8 output channels x 32 input channels = 512 MACs:
//     32 smull, 32 smlal2, 32 saddlp and sadalp, 12 addp, 2 ld1, 2 st1, 2 for the loop = 114 instructions, 0.223 per MAC.
// The floor is three instructions for 16 MACs, 96 or 0.1875 per MAC; 16 more are what comes after 32 input channels in any
// order: to add 4 sums of 4 up across takes 3 addp.
// The bytes: 64 loaded for 512 MACs, 4 stored for each output, once.

    .arch armv8-a

#include "conv1x1_s8s32_hwc_few_channels.inc"

// s0-s3 (4 x int32 each) = a, ah (32 input channels of a pixel) * w0-w3, their upper halves h0-h3: 128 MACs
.macro four_outputs a, ah, w0, h0, w1, h1, w2, h2, w3, h3, s0, s1, s2, s3
    half_of_four saddlp, \a, \w0, \w1, \w2, \w3, \s0, \s1, \s2, \s3
    half_of_four sadalp, \ah, \h0, \h1, \h2, \h3, \s0, \s1, \s2, \s3
.endm

// 16 of them; saddlp starts the sums, sadalp adds to them
.macro half_of_four op, a, w0, w1, w2, w3, s0, s1, s2, s3
    smull   v4.8h, \a\().8b, \w0\().8b
    smull   v5.8h, \a\().8b, \w1\().8b
    smull   v6.8h, \a\().8b, \w2\().8b
    smull   v7.8h, \a\().8b, \w3\().8b
    smlal2  v4.8h, \a\().16b, \w0\().16b
    smlal2  v5.8h, \a\().16b, \w1\().16b
    smlal2  v6.8h, \a\().16b, \w2\().16b
    smlal2  v7.8h, \a\().16b, \w3\().16b
    \op     \s0\().4s, v4.8h
    \op     \s1\().4s, v5.8h
    \op     \s2\().4s, v6.8h
    \op     \s3\().4s, v7.8h
.endm

// one pixel, in a and ah: v8, v9 = the sums of 8 output channels, and out they go
.macro one_pixel store, a, ah
    four_outputs \a, \ah, v16, v17, v18, v19, v20, v21, v22, v23, v8, v9, v10, v11
    four_outputs \a, \ah, v24, v25, v26, v27, v28, v29, v30, v31, v12, v13, v14, v15
    addp    v8.4s, v8.4s, v9.4s
    addp    v10.4s, v10.4s, v11.4s
    addp    v12.4s, v12.4s, v13.4s
    addp    v14.4s, v14.4s, v15.4s
    addp    v8.4s, v8.4s, v10.4s
    addp    v9.4s, v12.4s, v14.4s
    \store
.endm

.macro store_whole
    st1     {v8.4s, v9.4s}, [out], pitch
.endm

.macro store_part
    store_part_of_8 v8, v9
.endm

// the strip's pixels, 8 output channels
.macro pixels_of_strip store
    subs    count, count, #2
    b.lo    .Lfewer_than_two_\@
.Ltwo_\@:                                           // 114 instructions, 512 MACs
    ld1     {v0.16b, v1.16b}, [in], in_channels
    ld1     {v2.16b, v3.16b}, [in], in_channels
    one_pixel \store, v0, v1
    subs    count, count, #2
    one_pixel \store, v2, v3
    b.hs    .Ltwo_\@
.Lfewer_than_two_\@:
    tbz     count, #0, .Lstrip_done_\@              // -2 or -1 are left
    ld1     {v0.16b, v1.16b}, [in], in_channels
    one_pixel \store, v0, v1
.Lstrip_done_\@:
.endm

function conv1x1_s8s32_hwc_2x8_ic32
    save_vectors 64
    conv1x1_hwc_few_channels
    restore_vectors_last_first 64
    ret
end_function conv1x1_s8s32_hwc_2x8_ic32
