/*toml
summary   = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[2*y+i][2*x+j][k], int8 x int8 -> int32, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t height, size_t width, size_t in_channels, size_t out_channels, size_t input_pitch, size_t output_pitch)"
isa       = ["armv8.0-a", "neon"]
stack     = 160
[args]
input        = { reg = "x0", read = { rows = "2*height+1", bytes = "(2*width+1)*in_channels", pitch = "input_pitch" }, layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "x1", read = "9*out_channels*in_channels", layout = "oc_kh_kw_ic", dtype = "int8", range = [-127, 127] }
output       = { reg = "x2", write = { rows = "height", bytes = "4*width*out_channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int32" }
height       = { reg = "x3", range = [1, 65536] }
width        = { reg = "x4", range = [1, 65536] }
in_channels  = { reg = "x5", range = [1, 14678] }
out_channels = { reg = "x6", range = [1, 65536] }
input_pitch  = { reg = "x7", range = [1, 16777216] }
output_pitch = { reg = "stack+0", range = [4, 67108864], step = 4 }
[counts]
macs = "9*height*width*in_channels*out_channels"
*/

// Height and width are the output's. The input is an image with its padding around it, which holds the input's zero
// point: twice the output's pixels and one more in each direction. Pitches are the bytes from one row to the next.
//
// The loops and the tile are those of conv3x3_s8s8_hwc_4x4_ruy, and windows lie two pixels apart; but the sums start
// from 0 and leave as they are, int32: for a requantize_s32s8_rows of any scheme, or to be added to.
//
// Why weights lie in [-127, 127]: two products are added in int16. -128 * -127 twice is 32512 and -128 * 127 twice is
// -32512, both int16; only -128 * -128 twice, 32768, is not. The int32 sums are safe: 9 * 14678 * 128 * 127 < 2^31.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 32 bytes of a run = 512 MACs: 106 instructions, 0.207 per
// MAC, 10 % above its floor of 96, as there. Around the hot loop a tile costs 73 instructions where runs have no
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
pitch        .req x22       // from one pixel of the output to the next, bytes
window       .req x23
lines        .req x24

// The frame, from sp upwards
#define IN_ROW       0      /* where the row starts */
#define OUT_ROW      8
#define IN_STEP      16     /* to the next one */
#define OUT_STEP     24
#define HEIGHT       32     /* rows left */
#define WIDTH        40
#define SAVED        48     /* x19-x24, d8-d15 */
#define FRAME        160
#define OUTPUT_PITCH FRAME

#define STRIDE 2

#include "include/conv3x3_hwc_4x4.inc"
#include "include/sums_of_tile_4x4.inc"

    .p2align 4
    .global conv3x3s2_s8s32_hwc_4x4
    .type   conv3x3s2_s8s32_hwc_4x4, %function
conv3x3s2_s8s32_hwc_4x4:
    sub     sp, sp, #FRAME
    stp     x19, x20, [sp, #SAVED]
    stp     x21, x22, [sp, #(SAVED + 16)]
    stp     x23, x24, [sp, #(SAVED + 32)]
    stp     d8, d9, [sp, #(SAVED + 48)]
    stp     d10, d11, [sp, #(SAVED + 64)]
    stp     d12, d13, [sp, #(SAVED + 80)]
    stp     d14, d15, [sp, #(SAVED + 96)]
    ldr     channels, [sp, #OUTPUT_PITCH]
    lsl     pitch, out_channels, #2
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
    ldp     d14, d15, [sp, #(SAVED + 96)]
    ldp     d12, d13, [sp, #(SAVED + 80)]
    ldp     d10, d11, [sp, #(SAVED + 64)]
    ldp     d8, d9, [sp, #(SAVED + 48)]
    ldp     x23, x24, [sp, #(SAVED + 32)]
    ldp     x21, x22, [sp, #(SAVED + 16)]
    ldp     x19, x20, [sp, #SAVED]
    add     sp, sp, #FRAME
    ret
    .size   conv3x3s2_s8s32_hwc_4x4, . - conv3x3s2_s8s32_hwc_4x4

    .section .note.GNU-stack,"",%progbits
