/*toml
summary   = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[2*y+i][2*x+j][k] + bias[o], requantized as in ruy to int8, HWC, weights packed, sdot"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t in_channels, size_t out_channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv8.2-a", "neon", "dotprod"]
stack     = 176
[args]
input        = { reg = "x0", read = { rows = "2*height+1", bytes = "(2*width+1)*in_channels", pitch = "input_pitch" }, layout = "hwc", dtype = "int8" }
weights      = { reg = "x1", read = "16*((out_channels+15)//16)*3*4*((3*in_channels+3)//4)", layout = "oc16_ic4", dtype = "int8" }
output       = { reg = "x2", write = { rows = "height", bytes = "width*out_channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "x3", range = [1, 65536] }
width        = { reg = "x4", range = [1, 65536] }
in_channels  = { reg = "x5", range = [1, 7281] }
out_channels = { reg = "x6", range = [1, 65536] }
input_pitch  = { reg = "x7", range = [1, 16777216] }
output_pitch = { reg = "stack+0", range = [1, 16777216] }
bias         = { reg = "stack+8", read = "4*16*((out_channels+15)//16)", layout = "oc16", dtype = "int32", range = [-536870912, 536870912] }
multipliers  = { reg = "stack+16", read = "4*16*((out_channels+15)//16)", layout = "oc16", dtype = "int32", range = [1073741824, 2147483647] }
shifts       = { reg = "stack+24", read = "4*16*((out_channels+15)//16)", layout = "oc16", dtype = "int32", range = [-31, 7] }
range        = { reg = "stack+32", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
[counts]
macs = "9*height*width*in_channels*out_channels"
*/

// Height and width are the output's. The input is an image with its padding around it, which holds the input's zero
// point: twice the output's pixels and one more in each direction. Pitches are the bytes from one row to the next.
//
// The loops, the tile and the layout of the weights are those of
// conv3x3_s8s8_hwc_4x16_dotprod_ruy; windows lie two pixels apart.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each output channel, filled up to a multiple of 16.
//
// A zero point of the input, z, is the bias's business: bias[o] - z * the sum of the channel's weights. The weights have
// none.
//
// Cost of the hot loop, per 4 pixels x 16 output channels x 32 bytes of a run = 2048 MACs: 142 instructions, 0.0693 per
// MAC, 11 % above its floor of 128, as with stride 1. Around the hot loop a tile costs 152 instructions where runs have
// no bytes left over.

    .arch armv8.2-a+dotprod
    .text

in0          .req x0        // pixel 0 of the tile, walks along the runs of its window
weights      .req x1
out0         .req x2        // output of pixel 0, walks along the output channels
rows         .req x3        // pixels left in the row, counts down
run          .req x4        // 3 * input channels
step         .req x5
out_channels .req x6
pitch        .req x6        // from one pixel of the output to the next, bytes
line         .req x7
in1          .req x8
in2          .req x9
in3          .req x10
w            .req x11
out1         .req x12
out2         .req x13
out3         .req x14
channels     .req x15       // bytes of the run left, counts down
left         .req x16       // output channels left, counts down
range        .req x17
done         .req x19       // 4 * output channels done
at           .req x20       // where in bias and the like
bias         .req x21
multipliers  .req x22
shifts       .req x23
window       .req x24
lines        .req x25

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
#define SAVED        48     /* x19-x26, d8-d15 */
#define FRAME        176
#define OUTPUT_PITCH FRAME
#define BIAS         (FRAME + 8)
#define SHIFTS       (FRAME + 24)

#define STRIDE 2

#include "include/conv3x3_hwc_4x16_dotprod.inc"
#include "include/requantize_ruy.inc"
#include "include/requantized_tile_4x16.inc"

    .p2align 4
    .global conv3x3s2_s8s8_hwc_4x16_dotprod_ruy
    .type   conv3x3s2_s8s8_hwc_4x16_dotprod_ruy, %function
conv3x3s2_s8s8_hwc_4x16_dotprod_ruy:
    sub     sp, sp, #FRAME
    stp     x19, x20, [sp, #SAVED]
    stp     x21, x22, [sp, #(SAVED + 16)]
    stp     x23, x24, [sp, #(SAVED + 32)]
    stp     x25, x26, [sp, #(SAVED + 48)]
    stp     d8, d9, [sp, #(SAVED + 64)]
    stp     d10, d11, [sp, #(SAVED + 80)]
    stp     d12, d13, [sp, #(SAVED + 96)]
    stp     d14, d15, [sp, #(SAVED + 112)]
    ldr     channels, [sp, #OUTPUT_PITCH]
    ldp     bias, multipliers, [sp, #BIAS]
    ldp     shifts, range, [sp, #SHIFTS]
    stp     in0, out0, [sp, #IN_ROW]
    stp     x3, x4, [sp, #HEIGHT]                   // as they arrive
    lsl     lines, line, #(STRIDE - 1)              // line: as it arrives, the input's pitch
    stp     lines, channels, [sp, #IN_STEP]
    add     run, step, step, lsl #1                 // step: as it arrives, the input channels
    add     window, line, line, lsl #1
    sub     line, line, run
  .if STRIDE == 2
    lsl     step, step, #1
  .endif
    conv3x3_hwc_4x16
    ldp     d14, d15, [sp, #(SAVED + 112)]
    ldp     d12, d13, [sp, #(SAVED + 96)]
    ldp     d10, d11, [sp, #(SAVED + 80)]
    ldp     d8, d9, [sp, #(SAVED + 64)]
    ldp     x25, x26, [sp, #(SAVED + 48)]
    ldp     x23, x24, [sp, #(SAVED + 32)]
    ldp     x21, x22, [sp, #(SAVED + 16)]
    ldp     x19, x20, [sp, #SAVED]
    add     sp, sp, #FRAME
    ret
    .size   conv3x3s2_s8s8_hwc_4x16_dotprod_ruy, . - conv3x3s2_s8s8_hwc_4x16_dotprod_ruy

    .section .note.GNU-stack,"",%progbits
