/*toml
extends   = "conv1x1_chw_4x8_bylane.inc"
summary   = "output[o][p] = sum_i weights[o][i] * input[i][p] + bias[o], requantized as in ruy to int8, CHW, weights packed, vmlal by lane"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t pixels, size_t in_channels, size_t out_channels, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
stack     = 96
[args]
output      = { write = "pixels*out_channels", dtype = "int8" }
in_channels = { range = [1, 65536] }
bias        = { reg = "stack+8", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [-536870912, 536870912] }
multipliers = { reg = "stack+12", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [1073741824, 2147483647] }
shifts      = { reg = "stack+16", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [-31, 7] }
range       = { reg = "stack+20", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
*/

// The sums start from the bias and leave as int8. The kernels that keep their sums in the output cannot do so: an int8
// holds no sum.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each output channel, filled up to 4 as the weights are.
//
// A zero point of the input, z, is the bias's business: bias[o] - z * sum_i weights[o][i]. The weights have none.
//
// The scheme is ruy's: include/requantize_ruy.inc says why a shift, a high multiply that cuts off and a rounding shift
// give one rounding. In CHW an output channel is two vectors, all of whose lanes have one multiplier and one shift.
//
// Any int8 will do: the sums stay below 65536 * 128 * 128 + 2^29 < 2^31.
//
// Cost of the hot loop, per 4 output channels x 8 pixels x 4 input channels = 128 MACs: 45 instructions, 0.352 per MAC,
// as without requantization, 41 % above its floor of 32. Around it a tile costs 110 instructions, 65 of them to turn 32
// sums into 32 int8: 24 to scale, 24 to narrow, add the zero point and clamp, 8 to repeat shifts, the rest to load what
// that takes.

#define OUTPUT_SHIFT 0
#define FRAME        96     /* d8-d15, r4-r11 */
#define BIAS         (FRAME + 8)
#define MULTIPLIERS  (FRAME + 12)
#define SHIFTS       (FRAME + 16)
#define RANGE        (FRAME + 20)
#include "conv1x1_chw_4x8_bylane.inc"

pitch        .req r3        // from one output channel to the next
done         .req r4        // 4 * output channels done

// the output's range stays: q6 the zero point, d14 the lowest, d15 the highest value
.macro start_outputs
.endm

// s, t = the bias at [at], which moves on; s0-t1 are their halves
.macro start_channel s0, s1, t0, t1
    vld1.32 {\s0[], \s1[]}, [at]!
    vmov    \t0, \s0
    vmov    \t1, \s0
.endm

.macro start_sums
    ldr     at, [sp, #BIAS]
    add     at, at, done
    start_channel d16, d17, d18, d19
    start_channel d20, d21, d22, d23
    start_channel d24, d25, d26, d27
    start_channel d28, d29, d30, d31
.endm

// s0 (8 x int8) = s, t (an output channel's 8 sums), scaled by the multiplier m, left and right, + zero point, clamped
.macro finish_channel s, t, s0, s1, m, left, right
    vdup.32 q4, \left
    vdup.32 q5, \right
    vqshl.s32 \s, \s, q4
    vqshl.s32 \t, \t, q4
    vqdmulh.s32 \s, \s, \m
    vqdmulh.s32 \t, \t, \m
    vrshl.s32 \s, \s, q5
    vrshl.s32 \t, \t, q5
    vqmovn.s32 \s0, \s
    vqmovn.s32 \s1, \t
    vqadd.s16 \s, \s, q6
    vqmovn.s16 \s0, \s
    vmax.s8 \s0, \s0, d14
    vmin.s8 \s0, \s0, d15
.endm

// the shifts are parted: at least 1 goes to the right, for vrshl, as a number below 0 (q2); what remains to the left (q1)
.macro finish_sums
    ldr     at, [sp, #MULTIPLIERS]
    add     at, at, done
    vld1.32 {d0, d1}, [at]
    ldr     at, [sp, #SHIFTS]
    add     at, at, done
    vld1.32 {d2, d3}, [at]
    vmvn.i32 q3, #0
    vmin.s32 q2, q1, q3
    vsub.i32 q1, q1, q2
    finish_channel q8, q9, d16, d17, d0[0], d2[0], d4[0]
    finish_channel q10, q11, d20, d21, d0[1], d2[1], d4[1]
    finish_channel q12, q13, d24, d25, d1[0], d3[0], d5[0]
    finish_channel q14, q15, d28, d29, d1[1], d3[1], d5[1]
.endm

.macro store_whole s0, s1, s2, s3
    vst1.8  {\s0}, [at]
.endm

.macro store_part s0, s1, s2, s3
    tst     left, #4
    beq     .Lno_four_\@
    vst1.32 {\s0[0]}, [at]!
    vshr.u64 \s0, \s0, #32
.Lno_four_\@:
    tst     left, #2
    beq     .Lno_two_\@
    vst1.16 {\s0[0]}, [at]!
    vshr.u64 \s0, \s0, #16
.Lno_two_\@:
    tst     left, #1
    beq     .Lno_one_\@
    vst1.8  {\s0[0]}, [at]
.Lno_one_\@:
.endm

.macro next_outputs
    add     done, done, #16
.endm

function conv1x1_s8s8_chw_4x8_bylane_ruy
    save_all_but_lr
    ldr     outputs, [sp, #OUT_CHANNELS]
    ldr     at, [sp, #RANGE]
    vld3.16 {d12[], d13[], d14[]}, [at]
    vdup.8  d15, d14[0]
    vdup.8  d14, d13[0]
    vmov    d13, d12
    mov     done, #0
    conv1x1_chw_4x8
    restore_all_but_lr_and_return
end_function conv1x1_s8s8_chw_4x8_bylane_ruy
