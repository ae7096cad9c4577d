/*toml
summary   = "output[o][p] = sum_i weights[o][i] * input[i][p], int8 x int8 -> int32, CHW, weights packed, smlal by element"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
input        = { reg = "x0", read = "pixels*in_channels", over_read = 7, layout = "chw", dtype = "int8" }
weights      = { reg = "x1", read = "8*((out_channels+7)//8)*in_channels", layout = "oc8_ic1", dtype = "int8" }
output       = { reg = "x2", write = "4*pixels*out_channels", layout = "chw", dtype = "int32" }
pixels       = { reg = "x3", range = [1, 1048576] }
in_channels  = { reg = "x4", range = [1, 131071] }
out_channels = { reg = "x5", range = [1, 65536] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// The loops, outermost first; the tile is 8 output channels x 8 pixels:
//
//     for each 8 output channels            the last 1-7 as 8, of which 1-7 are stored
//         for each 8 pixels                 the last 1-7 as 8, of which 1-7 are stored
//             for each 4 input channels     then one at a time
//                 sums[8][8] += weights[8][4] * input[4][8]
//             output[8][8] = sums
//
// The weights lie in panels of 8 output channels, the last filled up with zeros: the first input channel of all 8, then
// the next.
//
// The tile, and where it lives. Both sides are widened to int16 as they come in; a lane of the weights is one output
// channel's:
//
//                                     8 pixels
//                                  +-------------+
//                                  | v0          |  input channel 0; v1-v3: the next ones
//                                  +-------------+
//                +----+            +------+------+
//                | v4 | lane 0     | v16  | v17  |  output channel 0
//                |    |      1     | v18  | v19  |                 1
//                |    |     ...    |     ...     |
//                |    |      7     | v30  | v31  |                 7
//                +----+            +------+------+
//        weights of an input          sums, int32
//        channel; v5-v7: of
//        the next ones
//
// As in conv1x1_s8s32_chw_8x4 lanes are pixels, and the input needs no packing. That kernel has its weights in registers
// and its sums in memory, adds eight products in int16 and is exact for weights of 6 bits; here the sums stay in
// registers to the end, products are added in int32 at once, and any int8 will do: no sum wraps, as
// 131071 * 128 * 128 = 2 147 467 264 is the last below 2^31.
//
// The last 8 pixels of an input channel may end up to 7 bytes behind it: what is loaded there goes nowhere.
//
// Cost of the hot loop, per 8 output channels x 8 pixels x 4 input channels = 256 MACs:
//     64 smlal, 8 sxtl, 4 ld1, 1 ldp, 2 for the loop = 79 instructions, 0.309 per MAC.
// The floor of this form is one smlal for 4 MACs, 64 or 0.25 per MAC: more than where products are added in int16, fewer
// cycles where loads and stores of sums are what a core waits for. Around the hot loop a tile costs 38 instructions,
// whatever the number of input channels: 16 to clear the sums, 8 to store them, the rest to start over and to find that
// nothing is left over.
// The bytes: 64 loaded for 256 MACs, 4 stored for each output, once.
// No prefetch: pixels are read at a stride, again for every 8 output channels; a layer's fit the second level.

    .arch armv8-a
    .text

input        .req x0
weights      .req x1        // of 8 output channels
output       .req x2        // first of the 8
pixels       .req x3        // also the bytes from one input channel to the next
in_channels  .req x4
outputs      .req x5        // output channels left, counts down
pitch        .req x6        // 4 * pixels
in0          .req x7        // input channel 0 of the tile's pixels
out0         .req x8        // output channel 0 of the tile's
in           .req x9        // walks down the input channels
w            .req x10
out          .req x11       // walks down the output channels
count        .req x12       // input channels left, counts down
left         .req x13       // pixels left, counts down
rest         .req x14       // output channels to store, counts down

#define OUTPUT_SHIFT 2

.macro start_outputs
.endm

.macro start_sums
  .irp s, v16, v17, v18, v19, v20, v21, v22, v23, v24, v25, v26, v27, v28, v29, v30, v31
    clear   \s
  .endr
.endm

.macro clear s
    movi    \s\().4s, #0
.endm

.macro finish_sums
.endm

.macro store_whole s, t
    st1     {\s\().4s, \t\().4s}, [out], pitch
.endm

.macro store_part s, t
    mov     in, out
    add     out, out, pitch
    tbz     left, #2, 3f
    st1     {\s\().4s}, [in], #16
    mov     \s\().16b, \t\().16b
3:
    tbz     left, #1, 2f
    st1     {\s\().2s}, [in], #8
    dup     \s\().2d, \s\().d[1]
2:
    tbz     left, #0, 1f
    st1     {\s\().s}[0], [in]
1:
.endm

.macro next_outputs
.endm

#include "../include/function.inc"
#include "conv1x1_chw_8x8_bylane.inc"

function conv1x1_s8s32_chw_8x8_bylane
    lsl     pitch, pixels, #2
    conv1x1_chw_8x8
    ret
end_function conv1x1_s8s32_chw_8x8_bylane
