/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i] + bias[o], requantized as in gemmlowp and TFLite to int8, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t pixels, size_t in_channels, size_t out_channels, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv8.0-a", "neon"]
stack     = 112
[args]
input        = { reg = "x0", read = "pixels*in_channels", layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "x1", read = "out_channels*in_channels", layout = "oc_ic", dtype = "int8", range = [-127, 127] }
output       = { reg = "x2", write = "pixels*out_channels", layout = "hwc", dtype = "int8" }
pixels       = { reg = "x3", range = [1, 1048576] }
in_channels  = { reg = "x4", range = [1, 65536] }
out_channels = { reg = "x5", range = [1, 65536] }
bias         = { reg = "x6", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [-536870912, 536870912] }
multipliers  = { reg = "x7", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [1073741824, 2147483647] }
shifts       = { reg = "stack+0", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [-31, 7] }
range        = { reg = "stack+8", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// The loops and the tile are those of conv1x1_s8s32_hwc_4x4, and so is the reason why no weight is -128; here the sums
// leave as int8.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each output channel, filled up to a multiple of 4.
//
// A zero point of the input, z, is the bias's business: bias[o] - z * sum_i weights[o][i]. The weights have none.
//
// The int32 sums are safe: they stay below 65536 * 128 * 127 + 2^29 < 2^31.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 32 input channels = 512 MACs: 106 instructions, 0.207 per
// MAC, as without requantization, 10 % above its floor of 96. Around it a tile costs 73 instructions, 44 of them to
// turn 16 sums into 16 int8: 4 to add the bias, 22 to scale, 10 to narrow, add the zero point and clamp, the rest to
// load what that takes.

    .arch armv8-a
    .text

input        .req x0        // pixel 0 of the tile, walks along the input channels
weights      .req x1
store        .req x2        // output of pixel 0, walks along the output channels
pixels       .req x3        // counts down
in_channels  .req x4
out_channels .req x5
pitch        .req x5
bias         .req x6
multipliers  .req x7
input1       .req x8
input2       .req x9
input3       .req x10
row0         .req x11       // row of weights, walks along the input channels
row1         .req x12
row2         .req x13
row3         .req x14
store1       .req x15
store2       .req x16
store3       .req x17
channels     .req x19       // input channels left, counts down
outputs      .req x20       // output channels left, counts down
rest         .req x21       // input channels after the blocks of 32
done         .req x22       // 4 * output channels done
range        .req x23
shifts       .req x24

t0           .req v8        // free while sums are scaled
t1           .req v9
t2           .req v10
t3           .req v11
zero         .req v13       // for the output
lowest       .req v14
highest      .req v15

#include "include/conv1x1_hwc_4x4.inc"
#include "include/requantize_gemmlowp.inc"
#include "include/requantized_tile_4x4.inc"

    .p2align 4
    .global conv1x1_s8s8_hwc_4x4_gemmlowp
    .type   conv1x1_s8s8_hwc_4x4_gemmlowp, %function
conv1x1_s8s8_hwc_4x4_gemmlowp:
    stp     d8, d9, [sp, #-112]!
    stp     d10, d11, [sp, #16]
    stp     d12, d13, [sp, #32]
    stp     d14, d15, [sp, #48]
    stp     x19, x20, [sp, #64]
    stp     x21, x22, [sp, #80]
    stp     x23, x24, [sp, #96]
    ldr     shifts, [sp, #112]
    ldr     range, [sp, #120]
    conv1x1_hwc_4x4
    ldp     x23, x24, [sp, #96]
    ldp     x21, x22, [sp, #80]
    ldp     x19, x20, [sp, #64]
    ldp     d10, d11, [sp, #16]
    ldp     d12, d13, [sp, #32]
    ldp     d14, d15, [sp, #48]
    ldp     d8, d9, [sp], #112
    ret
    .size   conv1x1_s8s8_hwc_4x4_gemmlowp, . - conv1x1_s8s8_hwc_4x4_gemmlowp

    .section .note.GNU-stack,"",%progbits
