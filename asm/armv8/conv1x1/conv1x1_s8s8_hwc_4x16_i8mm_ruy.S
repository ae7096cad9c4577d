/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i] + bias[o], requantized as in ruy to int8, HWC, weights packed, smmla"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t pixels, size_t in_channels, size_t out_channels, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv8.2-a", "neon", "i8mm"]
stack     = 96
[args]
input        = { reg = "x0", read = "pixels*in_channels", layout = "hwc", dtype = "int8" }
weights      = { reg = "x1", read = "16*((out_channels+15)//16)*8*((in_channels+7)//8)", layout = "oc16_ic8", dtype = "int8" }
output       = { reg = "x2", write = "pixels*out_channels", layout = "hwc", dtype = "int8" }
pixels       = { reg = "x3", range = [1, 1048576] }
in_channels  = { reg = "x4", range = [1, 65536] }
out_channels = { reg = "x5", range = [1, 65536] }
bias         = { reg = "x6", read = "4*16*((out_channels+15)//16)", layout = "oc16", dtype = "int32", range = [-536870912, 536870912] }
multipliers  = { reg = "x7", read = "4*16*((out_channels+15)//16)", layout = "oc16", dtype = "int32", range = [1073741824, 2147483647] }
shifts       = { reg = "stack+0", read = "4*16*((out_channels+15)//16)", layout = "oc16", dtype = "int32", range = [-31, 7] }
range        = { reg = "stack+8", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// The loops, the tile and the layout of the weights are those of conv1x1_s8s32_hwc_4x16_i8mm; here the sums start
// from the bias and leave as int8.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each output channel, filled up to 16 as the weights are.
//
// A zero point of the input, z, is the bias's business: bias[o] - z * sum_i weights[o][i]. The weights have none.
//
// Any int8 will do: the sums stay below 65536 * 128 * 128 + 2^29 < 2^31.
//
// Cost of the hot loop, per 4 pixels x 16 output channels x 32 input channels = 2048 MACs: 86 instructions, 0.0420 per
// MAC, as without requantization, 34 % above its floor of 64. Around it a tile costs 157 instructions, 105 of them to
// turn 64 sums into 64 int8: 4 x 14 to scale, 40 to narrow, add the zero point and clamp, the rest to load what that
// takes. To start from the bias takes 16, a load for each register of 2 x 2 sums.

    .arch armv8.2-a+i8mm
    .text

in0          .req x0        // pixel 0 of the tile, walks along the input channels
weights      .req x1
out0         .req x2        // output of pixel 0, walks along the output channels
rows         .req x3        // pixels, counts down
in_channels  .req x4
out_channels .req x5        // also the bytes from one pixel of the output to the next
pitch        .req x5
bias         .req x6
multipliers  .req x7
range        .req x8
in1          .req x9
in2          .req x10
in3          .req x11
w            .req x12
out1         .req x13
out2         .req x14
out3         .req x15
channels     .req x16       // input channels left, counts down
left         .req x17       // output channels left, counts down
done         .req x19       // 4 * output channels done
at           .req x20       // where in bias and the like
shifts       .req x21

t0           .req v8        // free while sums are scaled
t1           .req v9
t3           .req v11
zero         .req v13       // for the output
lowest       .req v14
highest      .req v15

#define SUMS_IN_PAIRS

#include "../include/function.inc"
#include "conv1x1_hwc_4x16_i8mm.inc"
#include "../include/requantize_ruy.inc"
#include "../include/requantized_tile_4x16.inc"

function conv1x1_s8s8_hwc_4x16_i8mm_ruy
    save_vectors 96
    stp     x19, x20, [sp, #64]
    str     x21, [sp, #80]
    ldr     shifts, [sp, #96]
    ldr     range, [sp, #104]
    conv1x1_hwc_4x16
    ldr     x21, [sp, #80]
    ldp     x19, x20, [sp, #64]
    restore_vectors 96
    ret
end_function conv1x1_s8s8_hwc_4x16_i8mm_ruy
