/*toml
extends = "conv1x1_s8s32_hwc_few_channels.inc"
summary = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, up to 32 input channels, weights in registers, vsdot by element"
isa     = ["armv8.2-a", "a32", "neon", "dotprod"]
stack   = 160
[args]
weights = { layout = "oc4_ic4_of32" }
*/

// For AArch32 on a core of ARMv8.2 that has the dot product instructions, Cortex-A55 and A76 for instance.
//
// The depth is 32, a panel 4 output channels: 4 input channels of the first, 4 of the second and so on, then the next 4, up
// to 32. Where conv1x1_s8s32_hwc_4x8_dotprod loads its weights again for every 4 pixels, and moves 9 pointers for 1024
// products, a pixel is one load here.
//
// Where the tile lives. A register of weights holds 4 input channels of 4 output channels, half a register of the input 8
// input channels of a pixel. vsdot by element multiplies 4 output channels by 4 of those 8, and adds up the 4:
//
//                               32 input channels, 4 a register
//                                   +----+----+-----+-----+
//              4 output channels    | q8 | q9 | ... | q15 |
//                                   +----+----+-----+-----+
//                   +-------+          +----+
//           pixel 0 | q0 q1 |          | q4 |
//                 1 | q2 q3 |          | q5 |
//                 2 | q0 q1 |          | q6 |      the second two take turns with the first two
//                 3 | q2 q3 |          | q7 |
//                   +-------+          +----+
//          32 input channels            sums
//
// All 16 registers are taken.
//
// Any int8 will do: 32 * 128 * 128 is far below 2^31.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 32 input channels = 512 MACs:
//     32 vsdot, 4 vld1, 1 vldm of zeros, 4 vst1, 2 for the loop = 43 instructions, 0.0840 per MAC.
// The floor is one vsdot for 16 MACs, 32 or 0.0625 per MAC; 5 more are what sums cost that start and leave after 32 input
// channels, in any order. Around the hot loop 4 output channels of 128 pixels cost 18 instructions, 4 of them to load
// weights.
// The bytes: 192 loaded for 512 MACs, a third of them zeros for the sums to start from, 4 stored for each output, once.

    .syntax unified
    .arch   armv8.2-a
    .fpu    neon-fp-armv8
    .arch_extension dotprod
    .arm
    .text

at           .req r12

#define PANEL        4

// The frame, from sp upwards: 64 bytes of zeros, what the sums start from; then what is saved.
#define LOCALS       64
#define FRAME        160    /* LOCALS, d8-d15, r4-r11 */

#include "conv1x1_s8s32_hwc_few_channels.inc"
#include "../include/rows_of_c.inc"

// s (4 output channels) += 16 input channels of a pixel, in a and b, * w0-w3: 64 MACs in 4 instructions
.macro dots_of_16 s, a, b, w0, w1, w2, w3
    vsdot.s8 \s, \w0, \a[0]
    vsdot.s8 \s, \w1, \a[1]
    vsdot.s8 \s, \w2, \b[0]
    vsdot.s8 \s, \w3, \b[1]
.endm

// the same for two pixels in turn, so that no instruction waits for the one before it
.macro dots_of_two_16 s, t, a0, b0, a1, b1, w0, w1, w2, w3
    vsdot.s8 \s, \w0, \a0[0]
    vsdot.s8 \t, \w0, \a1[0]
    vsdot.s8 \s, \w1, \a0[1]
    vsdot.s8 \t, \w1, \a1[1]
    vsdot.s8 \s, \w2, \b0[0]
    vsdot.s8 \t, \w2, \b1[0]
    vsdot.s8 \s, \w3, \b0[1]
    vsdot.s8 \t, \w3, \b1[1]
.endm

// s, t = the sums of two pixels, which were zero
.macro two_pixels s, t
    vld1.8  {d0, d1, d2, d3}, [in], in_channels
    vld1.8  {d4, d5, d6, d7}, [in], in_channels
    dots_of_two_16 \s, \t, d0, d1, d4, d5, q8, q9, q10, q11
    dots_of_two_16 \s, \t, d2, d3, d6, d7, q12, q13, q14, q15
.endm

.macro store_whole s0, s1
    vst1.32 {\s0, \s1}, [out], pitch
.endm

// 1 to 3 of the 4, as the lowest bits of left say
.macro store_part s0, s1
    mov     at, out
    store_some at, \s0, \s1
    add     out, out, pitch
.endm

// the hot loop, with 2 instructions around it: 43 instructions, 512 MACs
.macro four_pixels store
    vldmia  sp, {d8-d15}
    two_pixels q4, q5
    two_pixels q6, q7
    \store  d8, d9
    \store  d10, d11
    \store  d12, d13
    \store  d14, d15
.endm

// one pixel: 11 instructions, 128 MACs
.macro one_pixel store
    vmov.i32 q4, #0
    vld1.8  {d0, d1, d2, d3}, [in], in_channels
    dots_of_16 q4, d0, d1, q8, q9, q10, q11
    dots_of_16 q4, d2, d3, q12, q13, q14, q15
    \store  d8, d9
.endm

function conv1x1_s8s32_hwc_4x4_dotprod_ic32
    save_all_but_lr
    sub     sp, sp, #LOCALS
    vmov.i32 q0, #0
    vmov.i32 q1, #0
    mov     r4, sp
    vst1.32 {d0, d1, d2, d3}, [r4]!
    vst1.32 {d0, d1, d2, d3}, [r4]
    load_channels
    conv1x1_hwc_few_channels
    add     sp, sp, #LOCALS
    restore_all_but_lr_and_return
end_function conv1x1_s8s32_hwc_4x4_dotprod_ic32
