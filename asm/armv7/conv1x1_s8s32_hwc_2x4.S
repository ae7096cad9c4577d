/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, sums kept in registers"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv7-a", "neon"]
stack     = 100
[args]
input        = { reg = "r0", read = "pixels*in_channels", layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "r1", read = "out_channels*in_channels", layout = "oc_ic", dtype = "int8", range = [-127, 127] }
output       = { reg = "r2", write = "4*pixels*out_channels", layout = "hwc", dtype = "int32" }
pixels       = { reg = "r3", range = [1, 1048576] }
in_channels  = { reg = "stack+0", range = [1, 65536] }
out_channels = { reg = "stack+4", range = [1, 65536] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// The loops, outermost first; the tile is 2 pixels x 4 output channels:
//
//     for each 2 pixels                     then the last one
//         for each 4 output channels        the last 1-3 as 4, of which 1-3 are stored
//             for each 32 input channels    then 16, then the last 0-15 in one go
//                 sums[2][4] += input[2][32] * weights[4][32]
//             output[2][4] = sums
//
// In HWC the input channels of a pixel lie side by side, as do those of a row of weights: both sides of the product
// load as they are, and nothing is copied across lanes before the end.
//
// The tile, and where it lives:
//
//                                32 weights of one output channel
//                                          +-------+
//                                channel 0 | q4 q5 |
//                                        1 | q4 q5 |
//                                        2 | q4 q5 |
//                                        3 | q4 q5 |
//                                          +-------+
//                    +-------+     +---------------------+
//            pixel 0 | q0 q1 |     | q8   q10  q12  q14  |        q6, q7: two products added, int16,
//                  1 | q2 q3 |     | q9   q11  q13  q15  |                on their way into the sums
//                    +-------+     +---------------------+
//           32 input channels       sums: 4 x int32 each, to be added up
//                                   across when all input channels are in
//
// All 16 registers are taken. A larger tile would not fit; 3 x 3 only 16 channels at a time, which takes more loads.
//
// Why weights lie in [-127, 127]: vmull and vmlal add two products in int16. -128 * -127 twice is 32512 and
// -128 * 127 twice is -32512, both int16; only -128 * -128 twice, 32768, is not. The int32 sums are safe:
// 65536 * 128 * 127 = 1 065 353 216.
//
// Cost of the hot loop, per 2 pixels x 4 output channels x 32 input channels = 256 MACs:
//     16 vmull, 16 vmlal, 16 vpadal, 6 loads of 32 bytes, 2 for the loop = 56 instructions, 0.219 per MAC.
// The floor is three instructions for 16 MACs, 48 or 0.1875 per MAC: 12 x 16 bytes cannot be loaded in less than 6.
// Around the hot loop a tile costs 26 instructions, whatever the number of input channels: 12 to add the sums up across,
// 2 to store them, the rest to move 6 pointers and to find that nothing is left over. Nothing is cleared: the first 32
// input channels are stored as sums, not added to them. With 32 input channels the tile cannot cost less than 48 + 6 +
// 12 + 2 = 68, 0.266 per MAC: conv1x1_s8s32_hwc_4x4_ic32 does such layers with weights in registers.
// The bytes: 192 loaded for 256 MACs, 4 stored for each output, once.
// No prefetch: 6 ascending streams, of which the weights come back from the cache for every 2 pixels.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

input        .req r0        // pixel 0 of the tile, walks along the input channels
weights      .req r1
store        .req r2        // output of pixel 0, walks along the output channels
pixels       .req r3        // counts down
in_channels  .req r4
out_channels .req r5
input1       .req r6
row0         .req r7        // row of weights, walks along the input channels
row1         .req r8
row2         .req r9
row3         .req r10
store1       .req r11
channels     .req r12       // input channels left, counts down
outputs      .req lr        // output channels left, counts down

#define FRAME 100           /* d8-d15, r4-r11 and lr: below the arguments on the stack */

#include "include/conv1x1_hwc_2x4.inc"
#include "include/sums_of_tile_2x4.inc"

    .p2align 4
    .global conv1x1_s8s32_hwc_2x4
    .type   conv1x1_s8s32_hwc_2x4, %function
conv1x1_s8s32_hwc_2x4:
    push    {r4-r11, lr}
    vpush   {d8-d15}
    ldr     in_channels, [sp, #FRAME]
    ldr     out_channels, [sp, #(FRAME + 4)]
    conv1x1_hwc_2x4
    vpop    {d8-d15}
    pop     {r4-r11, pc}
    .size   conv1x1_s8s32_hwc_2x4, . - conv1x1_s8s32_hwc_2x4

    .section .note.GNU-stack,"",%progbits
