/*toml
extends   = "conv1x1_chw_8x8_bylane.inc"
summary   = "output[o][p] = sum_i weights[o][i] * input[i][p] + bias[o], requantized as in ruy to int8, CHW, weights packed, smlal by element"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t pixels, size_t in_channels, size_t out_channels, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
stack     = 64
[args]
output      = { write = "pixels*out_channels", dtype = "int8" }
in_channels = { range = [1, 65536] }
bias        = { reg = "x6", read = "4*8*((out_channels+7)//8)", layout = "oc8", dtype = "int32", range = [-536870912, 536870912] }
multipliers = { reg = "x7", read = "4*8*((out_channels+7)//8)", layout = "oc8", dtype = "int32", range = [1073741824, 2147483647] }
shifts      = { reg = "stack+0", read = "4*8*((out_channels+7)//8)", layout = "oc8", dtype = "int32", range = [-31, 7] }
range       = { reg = "stack+8", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
*/

// The sums start from the bias and leave as int8. The kernels that keep their sums in the output cannot do so: an int8
// holds no sum.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each output channel, filled up to 8 as the weights are.
//
// A zero point of the input, z, is the bias's business: bias[o] - z * sum_i weights[o][i]. The weights have none.
//
// The scheme is ruy's: include/requantize_ruy.inc says why a shift, a high multiply that cuts off and a rounding shift
// give one rounding. In CHW an output channel is two vectors, all of whose lanes have one multiplier and one shift.
//
// Any int8 will do: the sums stay below 65536 * 128 * 128 + 2^29 < 2^31.
//
// Cost of the hot loop, per 8 output channels x 8 pixels x 4 input channels = 256 MACs: 79 instructions, 0.309 per MAC,
// as without requantization, 23 % above its floor of 64. Around it a tile costs 152 instructions, 113 of them to turn
// 64 sums into 64 int8: 48 to scale, 48 to narrow, add the zero point and clamp, 16 to repeat shifts, 1 to load
// multipliers.

#define OUTPUT_SHIFT 0
#include "conv1x1_chw_8x8_bylane.inc"
#include "../include/narrow.inc"

bias         .req x6
multipliers  .req x7
in0          .req x8        // input channel 0 of the tile's pixels
out0         .req x9        // output channel 0 of the tile's
in           .req x10       // walks down the input channels
w            .req x11
out          .req x12       // walks down the output channels
count        .req x13       // input channels left, counts down
left         .req x14       // pixels left, counts down
rest         .req x15       // output channels to store, counts down
shifts       .req x16
range        .req x17
pitch        .req x3        // from one output channel to the next
at           .req x13       // while sums are not added up

zero         .req v8        // for the output, all the time
lowest       .req v9
highest      .req v10
left0        .req v11       // shifts to the left of output channels 0-3
left4        .req v12       // 4-7
right0       .req v13       // to the right, as numbers below 0
right4       .req v14

// the shifts of 8 output channels, parted
.macro start_outputs
    ldp     q11, q12, [shifts]
    mvni    v0.4s, #0
    smin    right0.4s, left0.4s, v0.4s
    smin    right4.4s, left4.4s, v0.4s
    sub     left0.4s, left0.4s, right0.4s
    sub     left4.4s, left4.4s, right4.4s
.endm

.macro start_channel s, t
    ld1r    {\s\().4s}, [at], #4
    mov     \t\().16b, \s\().16b
.endm

.macro start_sums
    mov     at, bias
    start_channel v16, v17
    start_channel v18, v19
    start_channel v20, v21
    start_channel v22, v23
    start_channel v24, v25
    start_channel v26, v27
    start_channel v28, v29
    start_channel v30, v31
.endm

// s (8 x int8) = s, t (an output channel's 8 sums), scaled by lane of m, left and right, + zero point, clamped
.macro finish_channel s, t, m, left, right, lane
    dup     v2.4s, \left\().s[\lane]
    dup     v3.4s, \right\().s[\lane]
    sqshl   \s\().4s, \s\().4s, v2.4s
    sqshl   \t\().4s, \t\().4s, v2.4s
    sqdmulh \s\().4s, \s\().4s, \m\().s[\lane]
    sqdmulh \t\().4s, \t\().4s, \m\().s[\lane]
    srshl   \s\().4s, \s\().4s, v3.4s
    srshl   \t\().4s, \t\().4s, v3.4s
    sqxtn   \s\().4h, \s\().4s
    sqxtn2  \s\().8h, \t\().4s
    sqadd   \s\().8h, \s\().8h, zero.8h
    sqxtn   \s\().8b, \s\().8h
    smax    \s\().8b, \s\().8b, lowest.8b
    smin    \s\().8b, \s\().8b, highest.8b
.endm

.macro finish_sums
    ldp     q0, q1, [multipliers]
    finish_channel v16, v17, v0, left0, right0, 0
    finish_channel v18, v19, v0, left0, right0, 1
    finish_channel v20, v21, v0, left0, right0, 2
    finish_channel v22, v23, v0, left0, right0, 3
    finish_channel v24, v25, v1, left4, right4, 0
    finish_channel v26, v27, v1, left4, right4, 1
    finish_channel v28, v29, v1, left4, right4, 2
    finish_channel v30, v31, v1, left4, right4, 3
.endm

.macro store_whole s, t
    st1     {\s\().8b}, [out], pitch
.endm

.macro store_part s, t
    mov     in, out
    add     out, out, pitch
    tbz     left, #2, .Lno_four_\@
    st1     {\s\().s}[0], [in], #4
    ext     \s\().8b, \s\().8b, \s\().8b, #4
.Lno_four_\@:
    tbz     left, #1, .Lno_two_\@
    st1     {\s\().h}[0], [in], #2
    ext     \s\().8b, \s\().8b, \s\().8b, #2
.Lno_two_\@:
    tbz     left, #0, .Lno_one_\@
    st1     {\s\().b}[0], [in]
.Lno_one_\@:
.endm

.macro next_outputs
    add     bias, bias, #32
    add     multipliers, multipliers, #32
    add     shifts, shifts, #32
.endm

function conv1x1_s8s8_chw_8x8_bylane_ruy
    stp     d8, d9, [sp, #-64]!
    stp     d10, d11, [sp, #16]
    stp     d12, d13, [sp, #32]
    str     d14, [sp, #48]
    ldp     shifts, range, [sp, #64]
    load_output_range
    conv1x1_chw_8x8
    ldr     d14, [sp, #48]
    ldp     d12, d13, [sp, #32]
    ldp     d10, d11, [sp, #16]
    ldp     d8, d9, [sp], #64
    ret
end_function conv1x1_s8s8_chw_8x8_bylane_ruy
