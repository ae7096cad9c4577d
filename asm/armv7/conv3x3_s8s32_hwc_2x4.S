/*toml
summary   = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k], int8 x int8 -> int32, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t height, size_t width, size_t in_channels, size_t out_channels, size_t input_pitch, size_t output_pitch)"
isa       = ["armv7-a", "neon"]
stack     = 132
[args]
input        = { reg = "r0", read = { rows = "height+2", bytes = "(width+2)*in_channels", pitch = "input_pitch" }, layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "r1", read = "9*out_channels*in_channels", layout = "oc_kh_kw_ic", dtype = "int8", range = [-127, 127] }
output       = { reg = "r2", write = { rows = "height", bytes = "4*width*out_channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int32" }
height       = { reg = "r3", range = [1, 65536] }
width        = { reg = "stack+0", range = [1, 65536] }
in_channels  = { reg = "stack+4", range = [1, 14678] }
out_channels = { reg = "stack+8", range = [1, 65536] }
input_pitch  = { reg = "stack+12", range = [1, 16777216] }
output_pitch = { reg = "stack+16", range = [4, 67108864], step = 4 }
[counts]
macs = "9*height*width*in_channels*out_channels"
*/

// Height and width are the output's. The input is an image with its padding around it, which holds the input's zero
// point: a pixel more on each side. Pitches are the bytes from one row to the next.
//
// The loops and the tile are those of conv3x3_s8s8_hwc_2x4_ruy; but the sums start from 0 and leave as they are, int32:
// for a requantize_s32s8_rows of any scheme, or to be added to.
//
// Why weights lie in [-127, 127]: two products are added in int16. -128 * -127 twice is 32512 and -128 * 127 twice is
// -32512, both int16; only -128 * -128 twice, 32768, is not. The int32 sums are safe: 9 * 14678 * 128 * 127 < 2^31.
//
// Cost of the hot loop, per 2 pixels x 4 output channels x 32 bytes of a run = 256 MACs: 56 instructions, 0.219 per
// MAC, 17 % above its floor of 48, as there. Around the hot loop a tile costs 62 instructions where runs have no
// bytes left over.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

input        .req r0        // pixel 0 of the tile, walks along the runs of its window
input1       .req r1
store        .req r2        // output of pixel 0, walks along the output channels
store1       .req r3
run          .req r4        // 3 * input channels
out_channels .req r5
channels     .req r6        // bytes of the run left, counts down
row0         .req r7        // row of weights, walks along
row1         .req r8
row2         .req r9
row3         .req r10
outputs      .req r11       // output channels left, counts down
lines        .req r12
pixels       .req lr        // left in the row, counts down

// The frame, from sp upwards. It need not be a multiple of 8: nothing is called from here.
#define IN_ROW       0      /* where the row starts */
#define WEIGHTS      4
#define OUT_ROW      8
#define HEIGHT       12     /* rows left */
#define STEP         16
#define LINE         20
#define WINDOW       24
#define IN_STEP      28     /* to the next row */
#define LOCALS       32
#define FRAME        132    /* LOCALS, d8-d15, r4-r11 and lr */
#define WIDTH        FRAME
#define IN_CHANNELS  (FRAME + 4)
#define OUT_CHANNELS (FRAME + 8)
#define INPUT_PITCH  (FRAME + 12)
#define OUTPUT_PITCH (FRAME + 16)

#define STRIDE 1

#include "include/conv3x3_hwc_2x4.inc"
#include "include/sums_of_tile_2x4.inc"

    .p2align 4
    .global conv3x3_s8s32_hwc_2x4
    .type   conv3x3_s8s32_hwc_2x4, %function
conv3x3_s8s32_hwc_2x4:
    push    {r4-r11, lr}
    vpush   {d8-d15}
    sub     sp, sp, #LOCALS
    stm     sp, {r0-r3}
    ldr     channels, [sp, #IN_CHANNELS]
    ldr     row0, [sp, #INPUT_PITCH]
    add     run, channels, channels, lsl #1
    lsl     channels, channels, #(STRIDE - 1)
    str     channels, [sp, #STEP]
    sub     channels, row0, run
    str     channels, [sp, #LINE]
    add     channels, row0, row0, lsl #1
    str     channels, [sp, #WINDOW]
    lsl     channels, row0, #(STRIDE - 1)
    str     channels, [sp, #IN_STEP]
    ldr     out_channels, [sp, #OUT_CHANNELS]
    conv3x3_hwc_2x4
    add     sp, sp, #LOCALS
    vpop    {d8-d15}
    pop     {r4-r11, pc}
    .size   conv3x3_s8s32_hwc_2x4, . - conv3x3_s8s32_hwc_2x4

    .section .note.GNU-stack,"",%progbits
