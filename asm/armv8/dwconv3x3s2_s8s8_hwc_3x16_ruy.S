/*toml
summary   = "output[y][x][c] = sum_ij weights[i][j][c] * input[2*y+i][2*x+j][c] + bias[c], requantized as in ruy to int8, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv8.0-a", "neon"]
stack     = 96
[args]
input        = { reg = "x0", read = { rows = "2*height+1", bytes = "(2*width+1)*channels", pitch = "input_pitch" }, over_read = 15, layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "x1", read = "144*((channels+15)//16)", layout = "c16_pairs4", dtype = "int8", range = [-127, 127] }
output       = { reg = "x2", write = { rows = "height", bytes = "width*channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "x3", range = [1, 65536] }
width        = { reg = "x4", range = [1, 65536] }
channels     = { reg = "x5", range = [1, 65536] }
input_pitch  = { reg = "x6", range = [1, 16777216] }
output_pitch = { reg = "x7", range = [1, 16777216] }
bias         = { reg = "stack+0", read = "4*16*((channels+15)//16)", layout = "c16", dtype = "int32", range = [-536870912, 536870912] }
multipliers  = { reg = "stack+8", read = "4*16*((channels+15)//16)", layout = "c16", dtype = "int32", range = [1073741824, 2147483647] }
shifts       = { reg = "stack+16", read = "4*16*((channels+15)//16)", layout = "c16", dtype = "int32", range = [-31, 7] }
range        = { reg = "stack+24", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
[counts]
macs = "9*height*width*channels"
*/

// Height and width are the output's. The input is an image with its padding around it, which holds the input's zero
// point: twice the output's pixels and one more in each direction. Pitches are the bytes from one row to the next.
//
// The loops, the window and the weights are those of dwconv3x3s2_s8s32_hwc_3x16, and so is the reason why no weight is
// -128; here the sums start from the bias and leave as int8.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each channel, filled up to a multiple of 16.
//
// A zero point of the input, z, is the bias's business: bias[c] - z * sum_ij weights[i][j][c]. The weights have none.
//
// The int32 sums are safe: they stay below 9 * 128 * 127 + 2^29 < 2^31.
//
// The last 16 channels of a pixel may end up to 15 bytes behind it, and behind a row: what is loaded there goes
// nowhere.
//
// Cost of the hot loop, per 3 pixels x 16 channels x 9 taps = 432 MACs:
//     54 smull and smlal, 24 sadalp, 12 saddw, 18 ld1, 18 zip; 3 x 40 to turn 16 sums into 16 int8; 3 st1, 2 for the loop
//     = 251 instructions, 0.581 per MAC.
// Of the 40, 1 loads the bias, 8 the scales, 21 scale, 10 narrow, add the zero point and clamp. That is the price of 9
// taps to an output: what the window itself costs, 129 of the 251, is what it costs without requantization, 19 % above
// its floor of 108, 0.250 per MAC. Around the hot loop a row costs 25 instructions for each 16 channels.

    .arch armv8-a
    .text

input        .req x0        // row 0 of the window, at its start
weights      .req x1
output       .req x2        // row of the output, at its start
height       .req x3        // counts down
width        .req x4
channels     .req x5        // also the bytes from one pixel of the input to the next
input_pitch  .req x6
output_pitch .req x7
in0          .req x8        // the window's rows, walk along the pixels
in1          .req x9
in2          .req x10
store        .req x11       // walks along the pixels
w            .req x12
from         .req x13       // channels to do of the window's first pixel
to           .req x14       // and of the output
left         .req x15       // channels left, counts down
count        .req x16       // pixels left, counts down
at           .req x17
pitch        .req x5        // from one pixel of the output to the next, bytes
bias         .req x19       // these three walk along the channels
multipliers  .req x20
shifts       .req x21
range        .req x22

t0           .req v2        // free while sums are scaled
t1           .req v3
t3           .req v5
zero         .req v13       // for the output
lowest       .req v14
highest      .req v15

.macro point_at_parameters
    ldp     bias, multipliers, [sp, #96]
    ldr     shifts, [sp, #112]
.endm

#define STRIDE 2

#include "include/requantize_ruy.inc"
#include "include/requantized_16_channels.inc"
#include "include/dwconv3x3_hwc_3x16.inc"

    .p2align 4
    .global dwconv3x3s2_s8s8_hwc_3x16_ruy
    .type   dwconv3x3s2_s8s8_hwc_3x16_ruy, %function
dwconv3x3s2_s8s8_hwc_3x16_ruy:
    stp     d8, d9, [sp, #-96]!
    stp     d10, d11, [sp, #16]
    stp     d12, d13, [sp, #32]
    stp     d14, d15, [sp, #48]
    stp     x19, x20, [sp, #64]
    stp     x21, x22, [sp, #80]
    ldr     range, [sp, #120]
    load_output_range
    dwconv3x3_hwc_3x16
    ldp     x21, x22, [sp, #80]
    ldp     x19, x20, [sp, #64]
    ldp     d14, d15, [sp, #48]
    ldp     d12, d13, [sp, #32]
    ldp     d10, d11, [sp, #16]
    ldp     d8, d9, [sp], #96
    ret
    .size   dwconv3x3s2_s8s8_hwc_3x16_ruy, . - dwconv3x3s2_s8s8_hwc_3x16_ruy

    .section .note.GNU-stack,"",%progbits
