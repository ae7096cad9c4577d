/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i] + bias[o], weights 0 or powers of two, by shifts, int32, HWC"
prototype = "void (const int8_t *input, const uint16_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels, const int32_t *starts)"
isa       = ["armv8.0-a", "neon"]
stack     = 64
modular   = ["ushl"]
[args]
input        = { reg = "x0", read = "pixels*in_channels", layout = "hwc", dtype = "int8" }
weights      = { reg = "x1", read = "128*((out_channels+3)//4)*((in_channels+15)//16)", layout = "oc4_ic16", dtype = "uint16", range = [0, 32775] }
output       = { reg = "x2", write = "4*pixels*out_channels", layout = "hwc", dtype = "int32" }
pixels       = { reg = "x3", range = [1, 1048576] }
in_channels  = { reg = "x4", range = [1, 32768] }
out_channels = { reg = "x5", range = [1, 65536] }
starts       = { reg = "x6", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [-1610612736, 536870912] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// A layer of INQ: each weight is 0 or +-2^s, s from 0 to 7, so that a product is a shift. A weight comes as one uint16
// that ushl and uabd both take as it is, b:
//
//     +2^s: b = s            -2^s: b = 2^15 + s            0: b = 16
//
// Let u = input + 129, from 1 to 256. ushl takes the low byte of b and gives u * 2^s, or 0 if that is 16, the one
// case in which bits leave the lane; then
//
//     +2^s: |u * 2^s - b| =  input * 2^s + 129 * 2^s - s             as u * 2^s >= 2^s > s
//     -2^s: |u * 2^s - b| = -input * 2^s - 129 * 2^s + 2^15 + s      as u * 2^s <= 2^15
//        0: |0 - b|       = 16
//
// What is added to input * weight depends on the weight alone: starts[o] is the bias less the sum of these for all
// weights of o, those that fill up its row too. Each |u * 2^s - b| is below 2^15, so that uaba adds two in uint16
// before uadalp widens; and the sum of 32768 is below 2^30.
//
// weights holds blocks of 4 output channels x 16 input channels, those of the first 4 output channels first. Rows are
// filled up to a multiple of 16 with zeros (b = 16), and so are rows that are not there.
//
// The loops are those of conv1x1_s8s32_hwc_4x4.inc, 16 input channels at a time. The tile, and where it lives:
//
//                                     16 weights of one output channel
//                                           +-------+
//                                           | v8 v9 |  then v10 v11, in turn
//                                           +-------+
//                    +-------+     +-------------------------+
//            pixel 0 | v0 v1 |     | v16   v20   v24   v28   |        v12-v15: two products added, uint16,
//                  1 | v2 v3 |     | v17   v21   v25   v29   |                 on their way into the sums
//                  2 | v4 v5 |     | v18   v22   v26   v30   |
//                  3 | v6 v7 |     | v19   v23   v27   v31   |
//                    +-------+     +-------------------------+
//            input + 129, uint16       sums: 4 x int32 each
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 16 input channels = 256 MACs: 4 + 4 loads, 1 for 129, 8 to
// widen, 32 ushl, 16 uabd, 16 uaba, 16 uadalp, 2 for the loop = 99 instructions, 0.387 per MAC. The floor is the 80 that
// compute, 0.3125 per MAC. Two products of int8, which a weight of +-128 takes otherwise, are 0.414. Around the hot loop
// a tile costs 48 instructions.

    .arch armv8-a
    .text

input        .req x0        // pixel 0 of the tile, walks along the input channels
weights      .req x1
store        .req x2        // output of pixel 0, walks along the output channels
pixels       .req x3        // counts down
in_channels  .req x4
out_channels .req x5
starts       .req x6
input1       .req x7
input2       .req x8
input3       .req x9
block        .req x10       // of weights, walks to the last
store1       .req x11
store2       .req x12
store3       .req x13
channels     .req x14       // input channels left, counts down
at           .req x14       // free once none are left
left         .req x4        // its lowest 4 bits: the input channels of the last block
outputs      .req x15       // output channels left, counts down
pitch        .req x16       // 4 * out_channels
start        .req x17       // walks along the output channels

#include "../include/function.inc"
#include "../include/parts.inc"
#include "conv1x1_hwc_4x4.inc"
#include "../include/sums_of_tile_4x4.inc"

// x0, x1 (8 x uint16 each) = the 16 bytes of x0 + 129, which v12 holds
.macro widen x0, x1
    saddw2  \x1\().8h, v12.8h, \x0\().16b
    saddw   \x0\().8h, v12.8h, \x0\().8b
.endm

// the last 1 to 15 bytes of n pixels, in v0, v2, v4, v6; the pointers stay
.macro load_last_of_pixels n
  .irp half, d0, d2, d4, d6
    movi    \half, #0
  .endr
    load_part_of_16_bytes v0, input
  .if \n == 4
    load_part_of_16_bytes v2, input1
    load_part_of_16_bytes v4, input2
    load_part_of_16_bytes v6, input3
  .endif
.endm

// s += 16 products of one pixel, or s and r of two: |u * 2^s - b|, two at a time; w, wh are the b
.macro shift_and_add n, w, wh, s, r, x=0, xh=1, y=2, yh=3
    ushl    v12.8h, v\x\().8h, \w\().8h
  .if \n > 1
    ushl    v14.8h, v\y\().8h, \w\().8h
  .endif
    ushl    v13.8h, v\xh\().8h, \wh\().8h
  .if \n > 1
    ushl    v15.8h, v\yh\().8h, \wh\().8h
  .endif
    uabd    v12.8h, v12.8h, \w\().8h
  .if \n > 1
    uabd    v14.8h, v14.8h, \w\().8h
  .endif
    uaba    v12.8h, v13.8h, \wh\().8h
  .if \n > 1
    uaba    v14.8h, v15.8h, \wh\().8h
  .endif
    uadalp  \s\().4s, v12.8h
  .if \n > 1
    uadalp  \r\().4s, v14.8h
  .endif
.endm

// one output channel, 16 input channels of n pixels
.macro channel n, w, wh, s0, s1, s2, s3
    shift_and_add \n, \w, \wh, \s0, \s1
  .if \n == 4
    shift_and_add \n, \w, \wh, \s2, \s3, 4, 5, 6, 7
  .endif
.endm

// sums[n][4] += 16 input channels * weights, the pixels in v0, v2, v4, v6
.macro four_channels n
    movi    v12.8h, #129
    widen   v0, v1
  .if \n == 4
    widen   v2, v3
    widen   v4, v5
    widen   v6, v7
  .endif
    ldp     q8, q9, [block], #32
    ldp     q10, q11, [block], #32
    channel \n, v8, v9, v16, v17, v18, v19
    ldp     q8, q9, [block], #32
    channel \n, v10, v11, v20, v21, v22, v23
    ldp     q10, q11, [block], #32
    channel \n, v8, v9, v24, v25, v26, v27
    channel \n, v10, v11, v28, v29, v30, v31
.endm

// v16-v19 = sums[n][4] = starts[4] + input[n][in_channels] * weights[4][in_channels]
.macro sums_of_powers n
    clear_sums \n
    subs    channels, in_channels, #16
    b.lo    .Lfewer_than_sixteen_\@
.Lsixteen_\@:                                       // n=4: the hot loop, 99 instructions, 256 MACs
    ld1     {v0.16b}, [input], #16
  .if \n == 4
    ld1     {v2.16b}, [input1], #16
    ld1     {v4.16b}, [input2], #16
    ld1     {v6.16b}, [input3], #16
  .endif
    subs    channels, channels, #16
    four_channels \n
    b.hs    .Lsixteen_\@
.Lfewer_than_sixteen_\@:
    tst     in_channels, #15
    b.eq    .Lno_more_\@
    load_last_of_pixels \n
    four_channels \n
.Lno_more_\@:
    add_across \n
    ldr     q0, [start], #16
    add     v16.4s, v16.4s, v0.4s
    and     at, in_channels, #-16                   // back to the first input channel
    sub     input, input, at
  .if \n == 4
    add     v17.4s, v17.4s, v0.4s
    add     v18.4s, v18.4s, v0.4s
    add     v19.4s, v19.4s, v0.4s
    sub     input1, input1, at
    sub     input2, input2, at
    sub     input3, input3, at
  .endif
.endm

// output[n pixels][out_channels], and on to the next n pixels
.macro pixels_of_powers n
  .if \n == 4
    add     input1, input, in_channels
    add     input2, input1, in_channels
    add     input3, input2, in_channels
    add     store1, store, pitch
    add     store2, store1, pitch
    add     store3, store2, pitch
  .endif
    mov     block, weights
    mov     start, starts
    subs    outputs, out_channels, #4
    b.lo    .Llast_outputs_\@
.Lfour_outputs_\@:                                  // four output channels
    sums_of_powers \n
    store_sums \n
    subs    outputs, outputs, #4
    b.hs    .Lfour_outputs_\@
.Llast_outputs_\@:
    adds    outputs, outputs, #4
    b.eq    .Lnext_pixels_\@
    sums_of_powers \n
    store_part_of_sums \n
.Lnext_pixels_\@:
  .if \n == 4                                       // the end of pixel 3 is the start of the next
    add     input, input3, in_channels
    mov     store, store3
  .else
    add     input, input, in_channels
  .endif
.endm

function conv1x1_s8u16s32_hwc_4x4_powers
    save_vectors 64
    lsl     pitch, out_channels, #2
    four_then_one pixels_of_powers
    restore_vectors 64
    ret
end_function conv1x1_s8u16s32_hwc_4x4_powers
