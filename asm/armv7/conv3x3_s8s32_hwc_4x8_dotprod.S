/*toml
summary   = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k], int8 x int8 -> int32, HWC, weights packed, vsdot"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t height, size_t width, size_t in_channels, size_t out_channels, size_t input_pitch, size_t output_pitch)"
isa       = ["armv8.2-a", "a32", "neon", "dotprod"]
stack     = 200
[args]
input        = { reg = "r0", read = { rows = "height+2", bytes = "(width+2)*in_channels", pitch = "input_pitch" }, layout = "hwc", dtype = "int8" }
weights      = { reg = "r1", read = "8*((out_channels+7)//8)*3*4*((3*in_channels+3)//4)", layout = "oc8_ic4", dtype = "int8", align = 4 }
output       = { reg = "r2", write = { rows = "height", bytes = "4*width*out_channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int32" }
height       = { reg = "r3", range = [1, 65536] }
width        = { reg = "stack+0", range = [1, 65536] }
in_channels  = { reg = "stack+4", range = [1, 14563] }
out_channels = { reg = "stack+8", range = [1, 65536] }
input_pitch  = { reg = "stack+12", range = [1, 16777216] }
output_pitch = { reg = "stack+16", range = [4, 67108864], step = 4 }
[counts]
macs = "9*height*width*in_channels*out_channels"
*/

// Height and width are the output's. The input is an image with its padding around it, which holds the input's zero
// point: a pixel more on each side. Pitches are the bytes from one row to the next.
//
// The loops and the tile are those of conv3x3_s8s8_hwc_4x8_dotprod_ruy; but the sums start from 0 and leave as they
// are, int32: for a requantize_s32s8_rows of any scheme, or to be added to.
//
// Any int8 will do: the sums stay below 9 * 14563 * 128 * 128 < 2^31.
//
// Cost of the hot loop, per 4 pixels x 8 output channels x 16 bytes of a run = 512 MACs: 40 instructions, 0.0781 per
// MAC, 25 % above its floor of 32, as there. Around the hot loop a tile costs 48 instructions where runs have no
// bytes left over.

    .syntax unified
    .arch   armv8.2-a
    .fpu    neon-fp-armv8
    .arch_extension dotprod
    .arm
    .text

in0          .req r0        // pixel 0 of the tile, walks along the runs of its window
w            .req r1
out0         .req r2        // output of pixel 0, walks along the output channels
in1          .req r3
in2          .req r4
in3          .req r5
out1         .req r6
out2         .req r7
out3         .req r8
run          .req r9        // 3 * input channels
channels     .req r10       // bytes of the run left, counts down
left         .req r11       // output channels left, counts down
step         .req r10
pixels       .req r12       // left in the row, counts down; outside the loop over output channels
lines        .req r12
pitch        .req lr        // 4 * out_channels; outside the loop over output channels

// The frame, from sp upwards. It need not be a multiple of 8: nothing is called from here.
#define ZEROS        0      /* 64 bytes: what the sums start from */
#define IN_ROW       64     /* where the row starts */
#define WEIGHTS      68
#define OUT_ROW      72
#define HEIGHT       76     /* rows left */
#define STEP         80
#define LINE         84
#define WINDOW       88
#define IN_STEP      92     /* to the next row */
#define PIXELS       96     /* pixels left in the row */
#define LOCALS       100
#define FRAME        200    /* LOCALS, d8-d15, r4-r11 and lr */
#define WIDTH        FRAME
#define IN_CHANNELS  (FRAME + 4)
#define OUT_CHANNELS (FRAME + 8)
#define INPUT_PITCH  (FRAME + 12)
#define OUTPUT_PITCH (FRAME + 16)

#define STRIDE 1

#include "include/conv3x3_hwc_4x8_dotprod.inc"
#include "include/sums_of_tile_4x8.inc"

.macro set_pitch
    lsl     pitch, left, #2
.endm

    .p2align 4
    .global conv3x3_s8s32_hwc_4x8_dotprod
    .type   conv3x3_s8s32_hwc_4x8_dotprod, %function
conv3x3_s8s32_hwc_4x8_dotprod:
    push    {r4-r11, lr}
    vpush   {d8-d15}
    sub     sp, sp, #LOCALS
    add     r4, sp, #IN_ROW
    stm     r4, {r0-r3}
    vmov.i32 q0, #0
    vmov.i32 q1, #0
    add     r4, sp, #ZEROS
    vst1.32 {d0, d1, d2, d3}, [r4]!
    vst1.32 {d0, d1, d2, d3}, [r4]
    ldr     channels, [sp, #IN_CHANNELS]
    ldr     in1, [sp, #INPUT_PITCH]
    add     run, channels, channels, lsl #1
    lsl     channels, channels, #(STRIDE - 1)
    str     channels, [sp, #STEP]
    sub     channels, in1, run
    str     channels, [sp, #LINE]
    add     channels, in1, in1, lsl #1
    str     channels, [sp, #WINDOW]
    lsl     channels, in1, #(STRIDE - 1)
    str     channels, [sp, #IN_STEP]
    conv3x3_hwc_4x8
    add     sp, sp, #LOCALS
    vpop    {d8-d15}
    pop     {r4-r11, pc}
    .size   conv3x3_s8s32_hwc_4x8_dotprod, . - conv3x3_s8s32_hwc_4x8_dotprod

    .section .note.GNU-stack,"",%progbits
