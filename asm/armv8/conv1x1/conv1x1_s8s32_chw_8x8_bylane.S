/*toml
extends = "conv1x1_chw_8x8_bylane.inc"
summary = "output[o][p] = sum_i weights[o][i] * input[i][p], int8 x int8 -> int32, CHW, weights packed, smlal by element"
*/

// As in conv1x1_s8s32_chw_8x4 lanes are pixels, and the input needs no packing. That kernel has its weights in registers
// and its sums in memory, adds eight products in int16 and is exact for weights of 6 bits; here the sums stay in
// registers to the end, products are added in int32 at once, and any int8 will do: no sum wraps, as
// 131071 * 128 * 128 = 2 147 467 264 is the last below 2^31.
//
// Cost of the hot loop, per 8 output channels x 8 pixels x 4 input channels = 256 MACs:
//     64 smlal, 8 sxtl, 4 ld1, 1 ldp, 2 for the loop = 79 instructions, 0.309 per MAC.
// The floor of this form is one smlal for 4 MACs, 64 or 0.25 per MAC: more than where products are added in int16, fewer
// cycles where loads and stores of sums are what a core waits for. Around the hot loop a tile costs 38 instructions,
// whatever the number of input channels: 16 to clear the sums, 8 to store them, the rest to start over and to find that
// nothing is left over.
// The bytes: 64 loaded for 256 MACs, 4 stored for each output, once.
// No prefetch: pixels are read at a stride, again for every 8 output channels; a layer's fit the second level.

#define OUTPUT_SHIFT 2
#include "conv1x1_chw_8x8_bylane.inc"

pitch        .req x6        // 4 * pixels
in0          .req x7        // input channel 0 of the tile's pixels
out0         .req x8        // output channel 0 of the tile's
in           .req x9        // walks down the input channels
w            .req x10
out          .req x11       // walks down the output channels
count        .req x12       // input channels left, counts down
left         .req x13       // pixels left, counts down
rest         .req x14       // output channels to store, counts down

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
    tbz     left, #2, .Lno_four_\@
    st1     {\s\().4s}, [in], #16
    mov     \s\().16b, \t\().16b
.Lno_four_\@:
    tbz     left, #1, .Lno_two_\@
    st1     {\s\().2s}, [in], #8
    dup     \s\().2d, \s\().d[1]
.Lno_two_\@:
    tbz     left, #0, .Lno_one_\@
    st1     {\s\().s}[0], [in]
.Lno_one_\@:
.endm

.macro next_outputs
.endm

function conv1x1_s8s32_chw_8x8_bylane
    lsl     pitch, pixels, #2
    conv1x1_chw_8x8
    ret
end_function conv1x1_s8s32_chw_8x8_bylane
