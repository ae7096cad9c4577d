/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, up to 32 input channels, weights in registers, sdot by element"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv8.2-a", "neon", "dotprod"]
stack     = 128
[args]
input        = { reg = "x0", read = "pixels*in_channels", over_read = 31, layout = "hwc", dtype = "int8" }
weights      = { reg = "x1", read = "8*((out_channels+7)//8)*32", layout = "oc8_ic4_of32", dtype = "int8" }
output       = { reg = "x2", write = "4*pixels*out_channels", layout = "hwc", dtype = "int32" }
pixels       = { reg = "x3", range = [1, 1048576] }
in_channels  = { reg = "x4", range = [1, 32] }
out_channels = { reg = "x5", range = [1, 65536] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// The loops, outermost first:
//
//     for each 128 pixels                   then the rest: so many stay in the first level
//         for each 8 output channels        the last 1-7 as 8, of which 1-7 are stored
//             for each 4 pixels             then the last 0-3 one at a time
//                 output[4][8] = input[4][32] * weights[8][32]
//
// For layers with few input channels, whose sums are done as soon as begun: conv1x1_s8s32_hwc_4x16_dotprod loads its
// weights again for every 4 pixels, and moves 9 pointers for 2048 products. Here it is the weights that stay, and a pixel
// is one load. They lie in panels of 8 output channels, the last filled up with zeros: 4 input channels of the first, 4 of
// the second and so on, then the next 4, up to 32, filled up with zeros too, so that what is loaded behind a pixel of fewer
// counts for nothing; of the last pixel that may be up to 31 bytes behind the input.
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
// channels, in any order. Around the hot loop 8 output channels of 128 pixels cost 14 instructions, 4 of them to load
// weights.
// The bytes: 256 loaded for 1024 MACs, half of them zeros for the sums to start from, 4 stored for each output, once.

    .arch armv8.2-a+dotprod
    .text

input        .req x0        // first pixel of the strip
weights      .req x1
output       .req x2        // of the strip's first pixel
pixels       .req x3        // left, counts down
in_channels  .req x4        // also the bytes from one pixel to the next
out_channels .req x5
pitch        .req x6        // 4 * out_channels
in           .req x7        // walks along the pixels
out          .req x8
out0         .req x9        // output channel 0 of the panel, of the strip's first pixel
w            .req x10
left         .req x11       // output channels left, counts down
count        .req x12       // pixels left in the strip, counts down
strip        .req x13       // pixels in the strip
at           .req x14

#define STRIP 128

#include "../include/function.inc"
#include "../include/rows_of_c.inc"

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

// 1 to 7 of the 8, as the lowest bits of left say
.macro store_part s0, s1
    mov     at, out
    tbz     left, #2, 3f
    st1     {\s0\().4s}, [at], #16
    mov     \s0\().16b, \s1\().16b
3:
    store_some at, \s0
    add     out, out, pitch
.endm

// the strip's pixels, 8 output channels
.macro pixels_of_strip store
    subs    count, count, #4
    b.lo    12f
11:                                                 // 76 instructions, 1024 MACs
    four_pixels \store
    subs    count, count, #4
    b.hs    11b
12:
    adds    count, count, #4
    b.eq    14f
13:
    one_pixel \store
    subs    count, count, #1
    b.ne    13b
14:
.endm

function conv1x1_s8s32_hwc_4x8_dotprod_ic32
    sub     sp, sp, #128
    save_vectors_at 64
    stp     xzr, xzr, [sp]                          // 64 bytes of zeros: what the sums start from
    stp     xzr, xzr, [sp, #16]
    stp     xzr, xzr, [sp, #32]
    stp     xzr, xzr, [sp, #48]
    lsl     pitch, out_channels, #2
.Lstrip:
    mov     strip, #STRIP
    cmp     pixels, strip
    csel    strip, pixels, strip, lo
    mov     w, weights
    mov     out0, output
    mov     left, out_channels
.Loutputs:
    ld1     {v16.16b, v17.16b, v18.16b, v19.16b}, [w], #64
    ld1     {v20.16b, v21.16b, v22.16b, v23.16b}, [w], #64
    ld1     {v24.16b, v25.16b, v26.16b, v27.16b}, [w], #64
    ld1     {v28.16b, v29.16b, v30.16b, v31.16b}, [w], #64
    mov     in, input
    mov     out, out0
    mov     count, strip
    add     out0, out0, #32
    subs    left, left, #8
    b.lo    .Lpart
    pixels_of_strip store_whole
    cbnz    left, .Loutputs
    b       .Lnext
.Lpart:                                             // -7 to -1 are left, whose lowest bits are those of 1 to 7
    pixels_of_strip store_part
.Lnext:
    madd    input, strip, in_channels, input
    madd    output, strip, pitch, output
    subs    pixels, pixels, strip
    b.ne    .Lstrip
    restore_vectors_at 64
    add     sp, sp, #128
    ret
end_function conv1x1_s8s32_hwc_4x8_dotprod_ic32
