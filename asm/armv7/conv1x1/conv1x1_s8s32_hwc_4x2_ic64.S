/*toml
extends = "conv1x1_s8s32_hwc_few_channels.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, up to 64 input channels, weights in registers"
[args]
input       = { over_read = 63, range = [-128, 127] }
weights     = { read = "2*((out_channels+1)//2)*64", layout = "oc2_ic64", range = [-127, 127] }
in_channels = { range = [1, 64] }
*/

// For layers of 33 to 64 input channels, as conv1x1_s8s32_hwc_4x4_ic32 is for fewer: the depth is 64, a panel 2 output
// channels, with 64 input channels of each in turn, and a pixel is two loads.
//
// Where the tile lives:
//
//                                               64 weights
//                                        +-----------------------+
//                       output channel 0 | q8    q9    q10   q11 |
//                                      1 | q12   q13   q14   q15 |
//                                        +-----------------------+
//            +-------------+                   +--------+
//    a pixel | q0 q1 q2 q3 |                   | q6, q7 |          q4, q5: two products added, int16,
//            +-------------+                   +--------+                  on their way into the sums
//           64 input channels       sums of an output channel: 4 x int32,
//                                   added up across at once
//
// Why weights lie in [-127, 127]: vmull and vmlal add two products in int16. -128 * -127 twice is 32512 and
// -128 * 127 twice is -32512, both int16; only -128 * -128 twice, 32768, is not.
//
// Cost of the hot loop, per 4 pixels x 2 output channels x 64 input channels = 512 MACs:
//     32 vmull, 32 vmlal, 32 vpaddl and vpadal, 12 vpadd, 8 vld1, 4 vst1, 2 for the loop = 122 instructions, 0.238 per
//     MAC.
// The floor is three instructions for 16 MACs, 96 or 0.1875 per MAC. Around the hot loop 2 output channels of 128 pixels
// cost 18 instructions, 4 of them to load weights.
// The bytes: 256 loaded for 512 MACs, 4 stored for each output, once.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

step         .req r12       // from the second half of a pixel to the next pixel

#define PANEL        2
#define FRAME        96     /* d8-d15, r4-r11 */

#include "conv1x1_s8s32_hwc_few_channels.inc"

// q6, q7 (the sums of an output channel each) (op)= 16 input channels, a and ah, * v and w, by halves too: 32 MACs
.macro quarter op, a, ah, v, vh, w, wh
    vmull.s8 q4, \a, \v
    vmull.s8 q5, \a, \w
    vmlal.s8 q4, \ah, \vh
    vmlal.s8 q5, \ah, \wh
    \op\().s16 q6, q4
    \op\().s16 q7, q5
.endm

// one pixel, in q0-q3: d12 = the sums of 2 output channels, and out they go; 30 instructions, 128 MACs
.macro one_pixel store
    vld1.8  {d0, d1, d2, d3}, [in]!
    vld1.8  {d4, d5, d6, d7}, [in], step
    quarter vpaddl, d0, d1, d16, d17, d24, d25
    quarter vpadal, d2, d3, d18, d19, d26, d27
    quarter vpadal, d4, d5, d20, d21, d28, d29
    quarter vpadal, d6, d7, d22, d23, d30, d31
    vpadd.i32 d12, d12, d13
    vpadd.i32 d14, d14, d15
    vpadd.i32 d12, d12, d14
    \store
.endm

// the hot loop, with 2 instructions around it: 122 instructions, 512 MACs
.macro four_pixels store
   .rept 4
    one_pixel \store
   .endr
.endm

.macro store_whole
    vst1.32 {d12}, [out], pitch
.endm

// the first of the 2
.macro store_part
    vst1.32 {d12[0]}, [out], pitch
.endm

function conv1x1_s8s32_hwc_4x2_ic64
    save_all_but_lr
    load_channels
    sub     step, in_channels, #32
    conv1x1_hwc_few_channels
    restore_all_but_lr_and_return
end_function conv1x1_s8s32_hwc_4x2_ic64
