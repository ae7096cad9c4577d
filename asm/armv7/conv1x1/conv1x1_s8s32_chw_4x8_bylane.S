/*toml
extends = "conv1x1_chw_4x8_bylane.inc"
summary = "output[o][p] = sum_i weights[o][i] * input[i][p], int8 x int8 -> int32, CHW, weights packed, vmlal by lane"
*/

// As in conv1x1_s8s32_chw_8x4 lanes are pixels, and the input needs no packing. That kernel has its weights in registers
// and its sums in memory, adds eight products in int16 and is exact for weights of 6 bits; here the sums stay in
// registers to the end, products are added in int32 at once, and any int8 will do: no sum wraps, as
// 131071 * 128 * 128 = 2 147 467 264 is the last below 2^31.
//
// Cost of the hot loop, per 4 output channels x 8 pixels x 4 input channels = 128 MACs:
//     32 vmlal, 6 vmovl, 5 vld1, 2 for the loop = 45 instructions, 0.352 per MAC.
// The floor of this form is one vmlal for 4 MACs, 32 or 0.25 per MAC; a wider tile does not fit. Around the hot loop a
// tile costs 39 instructions, whatever the number of input channels: 8 to clear the sums, 4 to store them, the rest to
// see which are there, to start over and to find that nothing is left over.
// The bytes: 48 loaded for 128 MACs, 4 stored for each output, once.
// No prefetch: pixels are read at a stride, again for every 4 output channels; a layer's fit the second level.

#define OUTPUT_SHIFT 2
#define FRAME        64     /* d8-d11, r4-r11 */
#include "conv1x1_chw_4x8_bylane.inc"

pitch        .req r4        // 4 * pixels

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
    beq     .Lno_four_\@
    vst1.32 {\s0, \s1}, [at]!
    vmov    \s0, \s2
    vmov    \s1, \s3
.Lno_four_\@:
    tst     left, #2
    beq     .Lno_two_\@
    vst1.32 {\s0}, [at]!
    vmov    \s0, \s1
.Lno_two_\@:
    tst     left, #1
    beq     .Lno_one_\@
    vst1.32 {\s0[0]}, [at]
.Lno_one_\@:
.endm

.macro next_outputs
.endm

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
