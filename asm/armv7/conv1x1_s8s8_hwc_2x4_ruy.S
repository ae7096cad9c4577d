/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i] + bias[o], requantized as in ruy to int8, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t pixels, size_t in_channels, size_t out_channels, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv7-a", "neon"]
stack     = 104
[args]
input        = { reg = "r0", read = "pixels*in_channels", layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "r1", read = "out_channels*in_channels", layout = "oc_ic", dtype = "int8", range = [-127, 127] }
output       = { reg = "r2", write = "pixels*out_channels", layout = "hwc", dtype = "int8" }
pixels       = { reg = "r3", range = [1, 1048576] }
in_channels  = { reg = "stack+0", range = [1, 65536] }
out_channels = { reg = "stack+4", range = [1, 65536] }
bias         = { reg = "stack+8", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [-536870912, 536870912] }
multipliers  = { reg = "stack+12", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [1073741824, 2147483647] }
shifts       = { reg = "stack+16", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [-31, 7] }
range        = { reg = "stack+20", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// The loops and the tile are those of conv1x1_s8s32_hwc_2x4, and so is the reason why no weight is -128; here the sums
// leave as int8.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each output channel, filled up to a multiple of 4.
//
// A zero point of the input, z, is the bias's business: bias[o] - z * sum_i weights[o][i]. The weights have none.
//
// The int32 sums are safe: they stay below 65536 * 128 * 127 + 2^29 < 2^31.
//
// Cost of the hot loop, per 2 pixels x 4 output channels x 32 input channels = 256 MACs: 56 instructions, 0.219 per
// MAC, as without requantization, 17 % above its floor of 48. Around it a tile costs 60 instructions, 34 of them to
// turn 8 sums into 8 int8: 9 to scale, 10 to add the bias, narrow, add the zero point and clamp, the rest to load what
// that takes.

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
out_channels .req r5        // also the bytes from one pixel of the output to the next
input1       .req r6
row0         .req r7        // row of weights, walks along the input channels
row1         .req r8
row2         .req r9
row3         .req r10
store1       .req r11
channels     .req r12       // input channels left, counts down
outputs      .req lr        // output channels left, counts down
at           .req r7        // row 0 and row 1 are made anew for each tile
done         .req r8

// The frame, from sp upwards. It need not be a multiple of 8: nothing is called from here.
#define DONE         0      /* 4 * output channels done */
#define LOCALS       4
#define FRAME        104    /* LOCALS, d8-d15, r4-r11 and lr */
#define IN_CHANNELS  FRAME
#define OUT_CHANNELS (FRAME + 4)
#define BIAS         (FRAME + 8)
#define MULTIPLIERS  (FRAME + 12)
#define SHIFTS       (FRAME + 16)
#define RANGE        (FRAME + 20)

#include "include/conv1x1_hwc_2x4.inc"
#include "include/requantize_ruy.inc"
#include "include/requantized_tile_2x4.inc"

    .p2align 4
    .global conv1x1_s8s8_hwc_2x4_ruy
    .type   conv1x1_s8s8_hwc_2x4_ruy, %function
conv1x1_s8s8_hwc_2x4_ruy:
    push    {r4-r11, lr}
    vpush   {d8-d15}
    sub     sp, sp, #LOCALS
    ldr     in_channels, [sp, #IN_CHANNELS]
    ldr     out_channels, [sp, #OUT_CHANNELS]
    conv1x1_hwc_2x4
    add     sp, sp, #LOCALS
    vpop    {d8-d15}
    pop     {r4-r11, pc}
    .size   conv1x1_s8s8_hwc_2x4_ruy, . - conv1x1_s8s8_hwc_2x4_ruy

    .section .note.GNU-stack,"",%progbits
