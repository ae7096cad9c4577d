/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i] + bias[o], weights 0 or powers of two, by shifts, int32, HWC"
prototype = "void (const int8_t *input, const uint16_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels, const int32_t *starts)"
isa       = ["armv7-a", "neon"]
stack     = 100
modular   = ["vshl.u16"]
[args]
input        = { reg = "r0", read = "pixels*in_channels", layout = "hwc", dtype = "int8" }
weights      = { reg = "r1", read = "128*((out_channels+3)//4)*((in_channels+15)//16)", layout = "oc4_ic16", dtype = "uint16", range = [0, 32775] }
output       = { reg = "r2", write = "4*pixels*out_channels", layout = "hwc", dtype = "int32" }
pixels       = { reg = "r3", range = [1, 1048576] }
in_channels  = { reg = "stack+0", range = [1, 32768] }
out_channels = { reg = "stack+4", range = [1, 65536] }
starts       = { reg = "stack+8", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [-1610612736, 536870912] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// A layer of INQ: each weight is 0 or +-2^s, s from 0 to 7, so that a product is a shift. A weight comes as one uint16
// that vshl and vabd both take as it is, b:
//
//     +2^s: b = s            -2^s: b = 2^15 + s            0: b = 16
//
// Let u = input + 129, from 1 to 256. vshl takes the low byte of b and gives u * 2^s, or 0 if that is 16, the one
// case in which bits leave the lane; then
//
//     +2^s: |u * 2^s - b| =  input * 2^s + 129 * 2^s - s             as u * 2^s >= 2^s > s
//     -2^s: |u * 2^s - b| = -input * 2^s - 129 * 2^s + 2^15 + s      as u * 2^s <= 2^15
//        0: |0 - b|       = 16
//
// What is added to input * weight depends on the weight alone: starts[o] is the bias less the sum of these for all
// weights of o, those that fill up its row too. Each |u * 2^s - b| is below 2^15, so that vaba adds two in uint16
// before vpadal widens; and the sum of 32768 is below 2^30.
//
// weights holds blocks of 4 output channels x 16 input channels, those of the first 4 output channels first. Rows are
// filled up to a multiple of 16 with zeros (b = 16), and so are rows that are not there.
//
// The loops are those of conv1x1_s8s32_hwc_2x4.inc, 16 input channels at a time. The tile, and where it lives:
//
//                              16 weights of one output channel
//                                          +-------+
//                                          | q4 q5 |
//                                          +-------+
//                    +-------+     +---------------------+
//            pixel 0 | q0 q1 |     | q8   q10  q12  q14  |        q6, q7: two products added, uint16,
//                  1 | q2 q3 |     | q9   q11  q13  q15  |                on their way into the sums
//                    +-------+     +---------------------+
//            input + 129, uint16    sums: 4 x int32 each
//
// Cost of the hot loop, per 2 pixels x 4 output channels x 16 input channels = 128 MACs: 2 + 4 loads, 1 for 129, 4 to
// widen, 16 vshl, 8 vabd, 8 vaba, 8 vpadal, 2 for the loop = 53 instructions, 0.414 per MAC. The floor is the 40 that
// compute, 0.3125 per MAC. Two products of int8, which a weight of +-128 takes otherwise, are 0.461. Around the hot loop
// a tile costs 34 instructions.

#include "registers_2x4.inc"

at           .req r12       // free once no input channels are left
left         .req r4        // in_channels: its lowest 4 bits are the input channels of the last block
block        .req r7        // of weights, walks to the last
start        .req r8        // walks along the output channels
starts       .req r9

#define FRAME 100           /* d8-d15, r4-r11 and lr: below the arguments on the stack */

#include "../include/function.inc"
#include "../include/parts.inc"
#include "conv1x1_hwc_2x4.inc"
#include "../include/sums_of_tile_2x4.inc"

// 8 x uint16 each: a, h = the 8 bytes of l + 129, of u + 129; q4 holds 129
.macro widen a, h, l, u
    vaddw.s8 \a, q4, \l
    vaddw.s8 \h, q4, \u
.endm

// the last 1 to 15 bytes of n pixels, in q1 and q3; the pointers move on by 8 if there are as many
.macro load_last_of_pixels n
    vmov.i32 q1, #0
    vmov.i32 q3, #0
    tst     in_channels, #8
    beq     .Lup_to_seven_\@
    vld1.8  {d2}, [input]!
    load_part_of_8_bytes d3, input
  .if \n == 2
    vld1.8  {d6}, [input1]!
    load_part_of_8_bytes d7, input1
  .endif
    b       .Llast_loaded_\@
.Lup_to_seven_\@:
    load_part_of_8_bytes d2, input
  .if \n == 2
    load_part_of_8_bytes d6, input1
  .endif
.Llast_loaded_\@:
.endm

// s += 16 products of one pixel, x and h: |u * 2^s - b|, two at a time; q4 and q5 are the b
.macro shift_and_add s, x, h
    vshl.u16 q6, \x, q4
    vshl.u16 q7, \h, q5
    vabd.u16 q6, q6, q4
    vaba.u16 q6, q7, q5
    vpadal.u16 \s, q6
.endm

// sums[n][4] += 16 input channels * weights, the pixels in q1 and q3
.macro four_channels n
    vmov.i16 q4, #129
    widen   q0, q1, d2, d3
  .if \n == 2
    widen   q2, q3, d6, d7
  .endif
    channel \n, q8, q9
    channel \n, q10, q11
    channel \n, q12, q13
    channel \n, q14, q15
.endm

// one output channel of that
.macro channel n, s, r
    vld1.16 {d8, d9, d10, d11}, [block]!
    shift_and_add \s, q0, q1
  .if \n == 2
    shift_and_add \r, q2, q3
  .endif
.endm

// q8, q9 = sums[n][4] = starts[4] + input[n][in_channels] * weights[4][in_channels]
.macro sums_of_powers n
    clear_sums \n
    subs    channels, in_channels, #16
    blo     .Lfewer_than_sixteen_\@
.Lsixteen_\@:                                       // n=2: the hot loop, 53 instructions, 128 MACs
    vld1.8  {d2, d3}, [input]!
  .if \n == 2
    vld1.8  {d6, d7}, [input1]!
  .endif
    subs    channels, channels, #16
    four_channels \n
    bhs     .Lsixteen_\@
.Lfewer_than_sixteen_\@:
    tst     in_channels, #15
    beq     .Lno_more_\@
    load_last_of_pixels \n
    four_channels \n
.Lno_more_\@:
    add_across d16, d17, d20, d21, d24, d25, d28, d29
    vld1.32 {d0, d1}, [start]!
    vadd.i32 q8, q8, q0
    bic     at, in_channels, #7                     // back to the first input channel
    sub     input, input, at
  .if \n == 2
    add_across d18, d19, d22, d23, d26, d27, d30, d31
    vadd.i32 q9, q9, q0
    sub     input1, input1, at
  .endif
.endm

// output[n pixels][out_channels], and on to the next n pixels
.macro pixels_of_powers n
  .if \n == 2
    add     input1, input, in_channels
  .endif
    start_pixels \n
    mov     block, weights
    mov     start, starts
    subs    outputs, out_channels, #4
    blo     .Llast_outputs_\@
.Lfour_outputs_\@:                                  // four output channels
    sums_of_powers \n
    store_sums \n
    subs    outputs, outputs, #4
    bhs     .Lfour_outputs_\@
.Llast_outputs_\@:
    adds    outputs, outputs, #4
    beq     .Lnext_pixels_\@
    sums_of_powers \n
    store_part_of_sums \n
.Lnext_pixels_\@:
  .if \n == 2                                       // the end of pixel 1 is the start of the next
    add     input, input1, in_channels
    mov     store, store1
  .else
    add     input, input, in_channels
  .endif
.endm

function conv1x1_s8u16s32_hwc_2x4_powers
    save_all
    ldr     in_channels, [sp, #FRAME]
    ldr     out_channels, [sp, #(FRAME + 4)]
    ldr     starts, [sp, #(FRAME + 8)]
    two_then_one pixels_of_powers
    restore_all_and_return
end_function conv1x1_s8u16s32_hwc_2x4_powers
