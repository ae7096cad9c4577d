/*toml
summary   = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k] + bias[o], requantized as in ruy to int8, HWC, 3 channels"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t in_channels, size_t out_channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv8.0-a", "neon"]
stack     = 256
[args]
input        = { reg = "x0", read = { rows = "height+2", bytes = "3*(width+2)", pitch = "input_pitch" }, layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "x1", read = "32*4*((out_channels+3)//4)", layout = "oc4_taps32", dtype = "int8", range = [-127, 127] }
output       = { reg = "x2", write = { rows = "height", bytes = "width*out_channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "x3", range = [1, 65536] }
width        = { reg = "x4", range = [1, 65536] }
in_channels  = { reg = "x5", range = [3, 3] }
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
// point: a pixel more on each side. Pitches are the bytes from one row to the next.
//
// For the first layer of a network. The loops, the tile, the order of the weights, what is left of the sums, and the
// values that are allowed, are those of conv3x3s2_s8s8_hwc_4x4_ic3_ruy; windows lie a pixel apart.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 27 taps = 432 MACs: 158 instructions, 0.366 per MAC, as
// there, where they are told apart and compared with the floor. Gathering 4 pixels takes 24 loads, once for all output
// channels.

    .arch armv8-a
    .text

line0        .req x0        // the window's rows, walk along the pixels
weights      .req x1
store        .req x2        // output of pixel 0, walks along the output channels
pixels       .req x3        // left in the row, counts down
line1        .req x4
line2        .req x5
out_channels .req x6
pitch        .req x6        // from one pixel of the output to the next, bytes
back         .req x7
w            .req x8        // walks along the weights
store1       .req x9
store2       .req x10
store3       .req x11
outputs      .req x12       // output channels left, counts down
done         .req x13       // 4 * output channels done
bias         .req x14
multipliers  .req x15
shifts       .req x16
range        .req x17

t0           .req v8        // free while sums are scaled
t1           .req v9
t3           .req v11
zero         .req v13       // for the output
lowest       .req v14
highest      .req v15

// The frame, from sp upwards
#define TAPS         0      /* of 4 pixels */
#define IN_ROW       128    /* where the row starts */
#define OUT_ROW      136
#define IN_STEP      144    /* to the next one */
#define OUT_STEP     152
#define HEIGHT       160    /* rows left */
#define WIDTH        168
#define PITCH        176    /* of the input */
#define FRAME        256
#define OUTPUT_PITCH FRAME
#define BIAS         (FRAME + 8)
#define SHIFTS       (FRAME + 24)

#define STRIDE 1

#include "include/conv3x3_ic3_hwc_4x4.inc"
#include "include/requantize_ruy.inc"
#include "include/requantized_tile_4x4.inc"

    .p2align 4
    .global conv3x3_s8s8_hwc_4x4_ic3_ruy
    .type   conv3x3_s8s8_hwc_4x4_ic3_ruy, %function
conv3x3_s8s8_hwc_4x4_ic3_ruy:
    sub     sp, sp, #FRAME
    stp     d8, d9, [sp, #192]
    stp     d10, d11, [sp, #208]
    stp     d12, d13, [sp, #224]
    stp     d14, d15, [sp, #240]
    ldr     w, [sp, #OUTPUT_PITCH]
    ldp     bias, multipliers, [sp, #BIAS]
    ldp     shifts, range, [sp, #SHIFTS]
    stp     line0, store, [sp, #IN_ROW]
    stp     x3, x4, [sp, #HEIGHT]                   // as they arrive
    str     x7, [sp, #PITCH]
    lsl     line2, x7, #(STRIDE - 1)
    stp     line2, w, [sp, #IN_STEP]
    mov     back, #(3 * STRIDE - 8)
    conv3x3_ic3_hwc_4x4
    ldp     d14, d15, [sp, #240]
    ldp     d12, d13, [sp, #224]
    ldp     d10, d11, [sp, #208]
    ldp     d8, d9, [sp, #192]
    add     sp, sp, #FRAME
    ret
    .size   conv3x3_s8s8_hwc_4x4_ic3_ruy, . - conv3x3_s8s8_hwc_4x4_ic3_ruy

    .section .note.GNU-stack,"",%progbits
