/*toml
summary   = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[2*y+i][2*x+j][k] + bias[o], requantized as in ruy to int8, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t in_channels, size_t out_channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv8.0-a", "neon"]
stack     = 192
[args]
input        = { reg = "x0", read = { rows = "2*height+1", bytes = "(2*width+1)*in_channels", pitch = "input_pitch" }, layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "x1", read = "9*out_channels*in_channels", layout = "oc_kh_kw_ic", dtype = "int8", range = [-127, 127] }
output       = { reg = "x2", write = { rows = "height", bytes = "width*out_channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "x3", range = [1, 65536] }
width        = { reg = "x4", range = [1, 65536] }
in_channels  = { reg = "x5", range = [1, 7281] }
out_channels = { reg = "x6", range = [1, 65536] }
input_pitch  = { reg = "x7", range = [1, 16777216] }
output_pitch = { reg = "stack+0", range = [1, 16777216] }
bias         = { reg = "stack+8", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [-536870912, 536870912] }
multipliers  = { reg = "stack+16", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [1073741824, 2147483647] }
shifts       = { reg = "stack+24", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [-31, 7] }
range        = { reg = "stack+32", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
[counts]
macs = "9*height*width*in_channels*out_channels"
*/

// Height and width are the output's. The input is an image with its padding around it, which holds the input's zero
// point: twice the output's pixels and one more in each direction. Pitches are the bytes from one row to the next.
//
// The loops, the tile, and the reason why no weight is -128, are those of conv3x3_s8s8_hwc_4x4_ruy; windows lie two
// pixels apart.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each output channel, filled up to a multiple of 4.
//
// A zero point of the input, z, is the bias's business: bias[o] - z * the sum of the channel's weights. The weights have
// none.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 32 bytes of a run = 512 MACs: 106 instructions, 0.207 per MAC,
// 10 % above its floor of 96, as with stride 1. Around the hot loop a tile costs 109 instructions where runs have no
// bytes left over.

    .arch armv8-a
    .text

input        .req x0        // pixel 0 of the tile, walks along the runs of its window
weights      .req x1
store        .req x2        // output of pixel 0, walks along the output channels
pixels       .req x3        // left in the row, counts down
run          .req x4        // 3 * input channels
step         .req x5
out_channels .req x6
pitch        .req x6        // from one pixel of the output to the next, bytes
line         .req x7
input1       .req x8
input2       .req x9
input3       .req x10
row0         .req x11       // row of weights, walks along
row1         .req x12
row2         .req x13
row3         .req x14
store1       .req x15
store2       .req x16
store3       .req x17
channels     .req x19       // bytes of the run left, counts down
outputs      .req x20       // output channels left, counts down
rest         .req x21       // bytes of a run after the blocks of 32
done         .req x22       // 4 * output channels done
range        .req x23
shifts       .req x24
bias         .req x25
multipliers  .req x26
window       .req x27
lines        .req x28

t0           .req v8        // free while sums are scaled
t1           .req v9
t3           .req v11
zero         .req v13       // for the output
lowest       .req v14
highest      .req v15

// The frame, from sp upwards
#define IN_ROW       0      /* where the row starts */
#define OUT_ROW      8
#define IN_STEP      16     /* to the next one */
#define OUT_STEP     24
#define HEIGHT       32     /* rows left */
#define WIDTH        40
#define SAVED        48     /* x19-x28, d8-d15 */
#define FRAME        192
#define OUTPUT_PITCH FRAME
#define BIAS         (FRAME + 8)
#define SHIFTS       (FRAME + 24)

#define STRIDE 2

#include "include/conv3x3_hwc_4x4.inc"
#include "include/requantize_ruy.inc"
#include "include/requantized_tile_4x4.inc"

    .p2align 4
    .global conv3x3s2_s8s8_hwc_4x4_ruy
    .type   conv3x3s2_s8s8_hwc_4x4_ruy, %function
conv3x3s2_s8s8_hwc_4x4_ruy:
    sub     sp, sp, #FRAME
    stp     x19, x20, [sp, #SAVED]
    stp     x21, x22, [sp, #(SAVED + 16)]
    stp     x23, x24, [sp, #(SAVED + 32)]
    stp     x25, x26, [sp, #(SAVED + 48)]
    stp     x27, x28, [sp, #(SAVED + 64)]
    stp     d8, d9, [sp, #(SAVED + 80)]
    stp     d10, d11, [sp, #(SAVED + 96)]
    stp     d12, d13, [sp, #(SAVED + 112)]
    stp     d14, d15, [sp, #(SAVED + 128)]
    ldr     channels, [sp, #OUTPUT_PITCH]
    ldp     bias, multipliers, [sp, #BIAS]
    ldp     shifts, range, [sp, #SHIFTS]
    stp     input, store, [sp, #IN_ROW]
    stp     x3, x4, [sp, #HEIGHT]                   // as they arrive
    lsl     lines, line, #(STRIDE - 1)              // line: as it arrives, the input's pitch
    stp     lines, channels, [sp, #IN_STEP]
    add     run, step, step, lsl #1                 // step: as it arrives, the input channels
    and     rest, run, #31
    add     window, line, line, lsl #1
    sub     line, line, run
  .if STRIDE == 2
    lsl     step, step, #1
  .endif
    conv3x3_hwc_4x4
    ldp     d14, d15, [sp, #(SAVED + 128)]
    ldp     d12, d13, [sp, #(SAVED + 112)]
    ldp     d10, d11, [sp, #(SAVED + 96)]
    ldp     d8, d9, [sp, #(SAVED + 80)]
    ldp     x27, x28, [sp, #(SAVED + 64)]
    ldp     x25, x26, [sp, #(SAVED + 48)]
    ldp     x23, x24, [sp, #(SAVED + 32)]
    ldp     x21, x22, [sp, #(SAVED + 16)]
    ldp     x19, x20, [sp, #SAVED]
    add     sp, sp, #FRAME
    ret
    .size   conv3x3s2_s8s8_hwc_4x4_ruy, . - conv3x3s2_s8s8_hwc_4x4_ruy

    .section .note.GNU-stack,"",%progbits
