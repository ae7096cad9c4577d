/*toml
extends = "conv1x1_s8s32_hwc_few_channels.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, up to 32 input channels, weights in registers, sdot by element"
isa     = ["armv8.2-a", "neon", "dotprod"]
stack   = 128
[args]
weights = { layout = "oc8_ic4_of32" }
*/

// 4 pixels at a time, then the last 0-3 one by one; a panel has 4 input channels of the first output channel, 4 of the second
// and so on, then the next 4, up to 32. Where conv1x1_s8s32_hwc_4x16_dotprod loads its weights again for every 4 pixels,
// and moves 9 pointers for 2048 products, a pixel is one load here.
//
// Where the tile lives. A register of weights holds 4 input channels of 4 output channels, one of the input 16 input
// channels of a pixel. sdot by element multiplies 4 output channels by 4 of those 16, and adds up the 4:
//
//                                    32 input channels, 4 a register
//                                   +-----+-----+-----+-----+
//              output channels 0-3  | v16 | v18 | ... | v30 |
//                              4-7  | v17 | v19 | ... | v31 |
//                                   +-----+-----+-----+-----+
//                  +-------+           +-----+-----+
//          pixel 0 | v0 v1 |           | v8  | v9  |
//                1 | v2 v3 |           | v10 | v11 |
//                2 | v4 v5 |           | v12 | v13 |
//                3 | v6 v7 |           | v14 | v15 |
//                  +-------+           +-----+-----+
//         32 input channels       sums of output channels 0-3, 4-7
//
// All 32 registers are taken.
//
// Any int8 will do: 32 * 128 * 128 is far below 2^31.
//
// Cost of the hot loop, per 4 pixels x 8 output channels x 32 input channels = 1024 MACs:
//     64 sdot, 4 ld1, 2 ld1 of zeros, 4 st1, 2 for the loop = 76 instructions, 0.0742 per MAC.
// The floor is one sdot for 16 MACs, 64 or 0.0625 per MAC; 6 more are what sums cost that start and leave after 32 input
// channels, in any order.
// The bytes: 256 loaded for 1024 MACs, half of them zeros for the sums to start from, 4 stored for each output, once.

    .arch armv8.2-a+dotprod

#include "conv1x1_s8s32_hwc_few_channels.inc"

// s0, s1 (4 output channels each) += 4 input channels, lane \lane of a, * w0, w1: 32 MACs
.macro dots lane, a, w0, w1, s0, s1
    sdot    \s0\().4s, \w0\().16b, \a\().4b[\lane]
    sdot    \s1\().4s, \w1\().16b, \a\().4b[\lane]
.endm

// the same for the four pixels of the tile
.macro dots_of_four lane, a0, a1, a2, a3, w0, w1
    dots    \lane, \a0, \w0, \w1, v8, v9
    dots    \lane, \a1, \w0, \w1, v10, v11
    dots    \lane, \a2, \w0, \w1, v12, v13
    dots    \lane, \a3, \w0, \w1, v14, v15
.endm

// v8-v15 = the sums of four pixels, and out they go
.macro four_pixels store
    ld1     {v8.16b, v9.16b, v10.16b, v11.16b}, [sp]
    ld1     {v12.16b, v13.16b, v14.16b, v15.16b}, [sp]
    ld1     {v0.16b, v1.16b}, [in], in_channels
    ld1     {v2.16b, v3.16b}, [in], in_channels
    ld1     {v4.16b, v5.16b}, [in], in_channels
    ld1     {v6.16b, v7.16b}, [in], in_channels
    dots_of_four 0, v0, v2, v4, v6, v16, v17
    dots_of_four 1, v0, v2, v4, v6, v18, v19
    dots_of_four 2, v0, v2, v4, v6, v20, v21
    dots_of_four 3, v0, v2, v4, v6, v22, v23
    dots_of_four 0, v1, v3, v5, v7, v24, v25
    dots_of_four 1, v1, v3, v5, v7, v26, v27
    dots_of_four 2, v1, v3, v5, v7, v28, v29
    dots_of_four 3, v1, v3, v5, v7, v30, v31
    \store  v8, v9
    \store  v10, v11
    \store  v12, v13
    \store  v14, v15
.endm

// v8, v9 = the sums of one pixel, and out they go
.macro one_pixel store
    ld1     {v8.16b, v9.16b}, [sp]
    ld1     {v0.16b, v1.16b}, [in], in_channels
    dots    0, v0, v16, v17, v8, v9
    dots    1, v0, v18, v19, v8, v9
    dots    2, v0, v20, v21, v8, v9
    dots    3, v0, v22, v23, v8, v9
    dots    0, v1, v24, v25, v8, v9
    dots    1, v1, v26, v27, v8, v9
    dots    2, v1, v28, v29, v8, v9
    dots    3, v1, v30, v31, v8, v9
    \store  v8, v9
.endm

.macro store_whole s0, s1
    st1     {\s0\().4s, \s1\().4s}, [out], pitch
.endm

.macro store_part s0, s1
    store_part_of_8 \s0, \s1
.endm

// the strip's pixels, 8 output channels
.macro pixels_of_strip store
    subs    count, count, #4
    b.lo    .Lfewer_than_four_\@
.Lfour_\@:                                          // 76 instructions, 1024 MACs
    four_pixels \store
    subs    count, count, #4
    b.hs    .Lfour_\@
.Lfewer_than_four_\@:
    adds    count, count, #4
    b.eq    .Lstrip_done_\@
.Lone_\@:
    one_pixel \store
    subs    count, count, #1
    b.ne    .Lone_\@
.Lstrip_done_\@:
.endm

function conv1x1_s8s32_hwc_4x8_dotprod_ic32
    sub     sp, sp, #128
    save_vectors_at 64
    stp     xzr, xzr, [sp]                          // 64 bytes of zeros: what the sums start from
    stp     xzr, xzr, [sp, #16]
    stp     xzr, xzr, [sp, #32]
    stp     xzr, xzr, [sp, #48]
    conv1x1_hwc_few_channels
    restore_vectors_at 64
    add     sp, sp, #128
    ret
end_function conv1x1_s8s32_hwc_4x8_dotprod_ic32
