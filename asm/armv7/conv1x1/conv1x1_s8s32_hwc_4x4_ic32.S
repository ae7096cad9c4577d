/*toml
extends = "conv1x1_s8s32_hwc_few_channels.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, up to 32 input channels, weights in registers"
[args]
input   = { range = [-128, 127] }
weights = { range = [-127, 127] }
*/

// The depth is 32, a panel 4 output channels, with 32 input channels of each in turn. Where conv1x1_s8s32_hwc_2x4 loads
// its weights again for every 2 pixels, and moves 6 pointers for 256 products, a pixel is one load here.
//
// Where the tile lives:
//
//                                         32 weights
//                                        +-----------+
//                       output channel 0 | q8   q9   |
//                                      1 | q10  q11  |
//                                      2 | q12  q13  |
//                                      3 | q14  q15  |
//                                        +-----------+
//                    +-------+           +-----------+
//            a pixel | q0 q1 |           |   q4-q7   |       q2, q3: two products added, int16,
//                    +-------+           +-----------+               on their way into the sums
//           32 input channels       sums of an output channel: 4 x int32,
//                                   added up across at once
//
// Why weights lie in [-127, 127]: vmull and vmlal add two products in int16. -128 * -127 twice is 32512 and
// -128 * 127 twice is -32512, both int16; only -128 * -128 twice, 32768, is not.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 32 input channels = 512 MACs:
//     32 vmull, 32 vmlal, 32 vpaddl and vpadal, 24 vpadd, 4 vld1, 4 vst1, 2 for the loop = 130 instructions, 0.254 per
//     MAC.
// The floor is three instructions for 16 MACs, 96 or 0.1875 per MAC; 28 more are what comes after 32 input channels in any
// order: to add 4 sums of 4 up across takes 6 vpadd. Around the hot loop 4 output channels of 128 pixels cost 18
// instructions, 4 of them to load weights.
// The bytes: 128 loaded for 512 MACs, 4 stored for each output, once.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

at           .req r12

#define PANEL        4
#define FRAME        96     /* d8-d15, r4-r11 */

#include "conv1x1_s8s32_hwc_few_channels.inc"
#include "../include/rows_of_c.inc"

// s, t (4 x int32 each) (op)= half of a pixel's 32 input channels, a and ah, * v and w, by halves too: 32 MACs
.macro half_of_two op, a, ah, v, vh, w, wh, s, t
    vmull.s8 q2, \a, \v
    vmull.s8 q3, \a, \w
    vmlal.s8 q2, \ah, \vh
    vmlal.s8 q3, \ah, \wh
    \op\().s16 \s, q2
    \op\().s16 \t, q3
.endm

// one pixel, in q0 and q1: d8, d9 = the sums of 4 output channels, and out they go; 32 instructions, 128 MACs
.macro one_pixel store
    vld1.8  {d0, d1, d2, d3}, [in], in_channels
    half_of_two vpaddl, d0, d1, d16, d17, d20, d21, q4, q5
    half_of_two vpaddl, d0, d1, d24, d25, d28, d29, q6, q7
    half_of_two vpadal, d2, d3, d18, d19, d22, d23, q4, q5
    half_of_two vpadal, d2, d3, d26, d27, d30, d31, q6, q7
    vpadd.i32 d8, d8, d9
    vpadd.i32 d10, d10, d11
    vpadd.i32 d12, d12, d13
    vpadd.i32 d14, d14, d15
    vpadd.i32 d8, d8, d10
    vpadd.i32 d9, d12, d14
    \store
.endm

// the hot loop, with 2 instructions around it: 130 instructions, 512 MACs
.macro four_pixels store
   .rept 4
    one_pixel \store
   .endr
.endm

.macro store_whole
    vst1.32 {d8, d9}, [out], pitch
.endm

// 1 to 3 of the 4, as the lowest bits of left say
.macro store_part
    mov     at, out
    store_some at, d8, d9
    add     out, out, pitch
.endm

function conv1x1_s8s32_hwc_4x4_ic32
    save_all_but_lr
    load_channels
    conv1x1_hwc_few_channels
    restore_all_but_lr_and_return
end_function conv1x1_s8s32_hwc_4x4_ic32
