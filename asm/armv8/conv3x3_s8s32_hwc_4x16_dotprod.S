/*toml
summary   = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k], int8 x int8 -> int32, HWC, weights packed, sdot"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t height, size_t width, size_t in_channels, size_t out_channels, size_t input_pitch, size_t output_pitch)"
isa       = ["armv8.2-a", "neon", "dotprod"]
stack     = 192
[args]
input        = { reg = "x0", read = { rows = "height+2", bytes = "(width+2)*in_channels", pitch = "input_pitch" }, layout = "hwc", dtype = "int8" }
weights      = { reg = "x1", read = "16*((out_channels+15)//16)*3*4*((3*in_channels+3)//4)", layout = "oc16_ic4", dtype = "int8" }
output       = { reg = "x2", write = { rows = "height", bytes = "4*width*out_channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int32" }
height       = { reg = "x3", range = [1, 65536] }
width        = { reg = "x4", range = [1, 65536] }
in_channels  = { reg = "x5", range = [1, 14563] }
out_channels = { reg = "x6", range = [1, 65536] }
input_pitch  = { reg = "x7", range = [1, 16777216] }
output_pitch = { reg = "stack+0", range = [4, 67108864], step = 4 }
[counts]
macs = "9*height*width*in_channels*out_channels"
*/

// Height and width are the output's. The input is an image with its padding around it, which holds the input's zero
// point: a pixel more on each side. Pitches are the bytes from one row to the next.
//
// The loops and the tile are those of conv3x3_s8s8_hwc_4x16_dotprod_ruy; but the sums start from 0 and leave as they
// are, int32: for a requantize_s32s8_rows of any scheme, or to be added to.
//
// Any int8 will do: the sums stay below 9 * 14563 * 128 * 128 < 2^31.
//
// Cost of the hot loop, per 4 pixels x 16 output channels x 32 bytes of a run = 2048 MACs: 142 instructions, 0.0693 per
// MAC, 11 % above its floor of 128, as there. Around the hot loop a tile costs 46 instructions where runs have no
// bytes left over.

    .arch armv8.2-a+dotprod
    .text

in0          .req x0        // pixel 0 of the tile, walks along the runs of its window
weights      .req x1
out0         .req x2        // output of pixel 0, walks along the output channels
rows         .req x3        // pixels left in the row, counts down
run          .req x4        // 3 * input channels
step         .req x5
out_channels .req x6
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
pitch        .req x17       // from one pixel of the output to the next, bytes
window       .req x19
lines        .req x20

// The frame, from sp upwards
#define ZEROS        0      /* 64 bytes: what the sums start from */
#define IN_ROW       64     /* where the row starts */
#define OUT_ROW      72
#define IN_STEP      80     /* to the next one */
#define OUT_STEP     88
#define HEIGHT       96     /* rows left */
#define WIDTH        104
#define SAVED        112    /* x19, x20, d8-d15 */
#define FRAME        192
#define OUTPUT_PITCH FRAME

#define STRIDE 1

#include "include/conv3x3_hwc_4x16_dotprod.inc"
#include "include/sums_of_tile_4x16.inc"

    .p2align 4
    .global conv3x3_s8s32_hwc_4x16_dotprod
    .type   conv3x3_s8s32_hwc_4x16_dotprod, %function
conv3x3_s8s32_hwc_4x16_dotprod:
    sub     sp, sp, #FRAME
    stp     x19, x20, [sp, #SAVED]
    stp     d8, d9, [sp, #(SAVED + 16)]
    stp     d10, d11, [sp, #(SAVED + 32)]
    stp     d12, d13, [sp, #(SAVED + 48)]
    stp     d14, d15, [sp, #(SAVED + 64)]
    ldr     channels, [sp, #OUTPUT_PITCH]
    stp     xzr, xzr, [sp, #ZEROS]
    stp     xzr, xzr, [sp, #(ZEROS + 16)]
    stp     xzr, xzr, [sp, #(ZEROS + 32)]
    stp     xzr, xzr, [sp, #(ZEROS + 48)]
    lsl     pitch, out_channels, #2
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
    ldp     d14, d15, [sp, #(SAVED + 64)]
    ldp     d12, d13, [sp, #(SAVED + 48)]
    ldp     d10, d11, [sp, #(SAVED + 32)]
    ldp     d8, d9, [sp, #(SAVED + 16)]
    ldp     x19, x20, [sp, #SAVED]
    add     sp, sp, #FRAME
    ret
    .size   conv3x3_s8s32_hwc_4x16_dotprod, . - conv3x3_s8s32_hwc_4x16_dotprod

    .section .note.GNU-stack,"",%progbits
