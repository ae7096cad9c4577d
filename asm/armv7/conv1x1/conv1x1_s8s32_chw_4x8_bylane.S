/*toml
summary   = "output[o][p] = sum_i weights[o][i] * input[i][p], int8 x int8 -> int32, CHW, weights packed, vmlal by lane"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv7-a", "neon"]
stack     = 64
[args]
input        = { reg = "r0", read = "pixels*in_channels", over_read = 7, layout = "chw", dtype = "int8" }
weights      = { reg = "r1", read = "4*((out_channels+3)//4)*in_channels", layout = "oc4_ic1", dtype = "int8" }
output       = { reg = "r2", write = "4*pixels*out_channels", layout = "chw", dtype = "int32" }
pixels       = { reg = "r3", range = [1, 1048576] }
in_channels  = { reg = "stack+0", range = [1, 131071] }
out_channels = { reg = "stack+4", range = [1, 65536] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// The loops, outermost first; the tile is 4 output channels x 8 pixels:
//
//     for each 4 output channels            the last 1-3 as 4, of which 1-3 are stored
//         for each 8 pixels                 the last 1-7 as 8, of which 1-7 are stored
//             for each 4 input channels     then one at a time
//                 sums[4][8] += weights[4][4] * input[4][8]
//             output[4][8] = sums
//
// The weights lie in panels of 4 output channels, the last filled up with zeros: the first input channel of all 4, then
// the next.
//
// The tile, and where it lives. Both sides are widened to int16 as they come in; a lane of the weights is one output
// channel's:
//
//                                     8 pixels
//                                  +-------------+
//                                  | q2          |  input channel 0; q3-q5: the next ones
//                                  +-------------+
//                +----+            +------+------+
//                | d0 | lane 0     | q8   | q9   |  output channel 0
//                |    |      1     | q10  | q11  |                 1
//                |    |      2     | q12  | q13  |                 2
//                |    |      3     | q14  | q15  |                 3
//                +----+            +------+------+
//        weights of an input          sums, int32
//        channel; d1-d3: of
//        the next ones, as lanes
//        must lie in d0-d7
//
// As in conv1x1_s8s32_chw_8x4 lanes are pixels, and the input needs no packing. That kernel has its weights in registers
// and its sums in memory, adds eight products in int16 and is exact for weights of 6 bits; here the sums stay in
// registers to the end, products are added in int32 at once, and any int8 will do: no sum wraps, as
// 131071 * 128 * 128 = 2 147 467 264 is the last below 2^31.
//
// The last 8 pixels of an input channel may end up to 7 bytes behind it: what is loaded there goes nowhere.
//
// Cost of the hot loop, per 4 output channels x 8 pixels x 4 input channels = 128 MACs:
//     32 vmlal, 6 vmovl, 5 vld1, 2 for the loop = 45 instructions, 0.352 per MAC.
// The floor of this form is one vmlal for 4 MACs, 32 or 0.25 per MAC; a wider tile does not fit. Around the hot loop a
// tile costs 39 instructions, whatever the number of input channels: 8 to clear the sums, 4 to store them, the rest to
// see which are there, to start over and to find that nothing is left over.
// The bytes: 48 loaded for 128 MACs, 4 stored for each output, once.
// No prefetch: pixels are read at a stride, again for every 4 output channels; a layer's fit the second level.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

input        .req r0
weights      .req r1        // of 4 output channels
output       .req r2        // first of the 4
pixels       .req r3        // also the bytes from one input channel to the next
pitch        .req r4        // 4 * pixels
outputs      .req r5        // output channels left, counts down
in0          .req r6        // input channel 0 of the tile's pixels
out0         .req r7        // output channel 0 of the tile's
in           .req r8        // walks down the input channels, then down the output channels
w            .req r9
count        .req r10       // input channels left, counts down
left         .req r11       // pixels left, counts down
at           .req r10       // along the pixels of an output channel

#define FRAME        64     /* d8-d11, r4-r11: below the arguments on the stack */
#define IN_CHANNELS  FRAME
#define OUT_CHANNELS (FRAME + 4)
#define OUTPUT_SHIFT 2

.macro start_outputs
.endm

.macro start_sums
  .irp s, q8, q9, q10, q11, q12, q13, q14, q15
    vmov.i32 \s, #0
  .endr
.endm

.macro finish_sums
.endm

.macro store_whole s0, s1, s2, s3
    vst1.32 {\s0, \s1, \s2, \s3}, [at]
.endm

.macro store_part s0, s1, s2, s3
    tst     left, #4
    beq     3f
    vst1.32 {\s0, \s1}, [at]!
    vmov    \s0, \s2
    vmov    \s1, \s3
3:
    tst     left, #2
    beq     2f
    vst1.32 {\s0}, [at]!
    vmov    \s0, \s1
2:
    tst     left, #1
    beq     1f
    vst1.32 {\s0[0]}, [at]
1:
.endm

.macro next_outputs
.endm

#include "../include/function.inc"
#include "conv1x1_chw_4x8_bylane.inc"

function conv1x1_s8s32_chw_4x8_bylane
    push    {r4-r11}
    vpush   {d8-d11}
    ldr     outputs, [sp, #OUT_CHANNELS]
    lsl     pitch, pixels, #2
    conv1x1_chw_4x8
    vpop    {d8-d11}
    pop     {r4-r11}
    bx      lr
end_function conv1x1_s8s32_chw_4x8_bylane
