/*toml
summary   = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[2*y+i][2*x+j][k] + bias[o], requantized as in ruy to int8, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t in_channels, size_t out_channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv7-a", "neon"]
stack     = 136
[args]
input        = { reg = "r0", read = { rows = "2*height+1", bytes = "(2*width+1)*in_channels", pitch = "input_pitch" }, layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "r1", read = "9*out_channels*in_channels", layout = "oc_kh_kw_ic", dtype = "int8", range = [-127, 127] }
output       = { reg = "r2", write = { rows = "height", bytes = "width*out_channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "r3", range = [1, 65536] }
width        = { reg = "stack+0", range = [1, 65536] }
in_channels  = { reg = "stack+4", range = [1, 7281] }
out_channels = { reg = "stack+8", range = [1, 65536] }
input_pitch  = { reg = "stack+12", range = [1, 16777216] }
output_pitch = { reg = "stack+16", range = [1, 16777216] }
bias         = { reg = "stack+20", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [-536870912, 536870912] }
multipliers  = { reg = "stack+24", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [1073741824, 2147483647] }
shifts       = { reg = "stack+28", read = "4*4*((out_channels+3)//4)", layout = "oc4", dtype = "int32", range = [-31, 7] }
range        = { reg = "stack+32", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
[counts]
macs = "9*height*width*in_channels*out_channels"
*/

// Height and width are the output's. The input is an image with its padding around it, which holds the input's zero
// point: twice the output's pixels and one more in each direction. Pitches are the bytes from one row to the next.
//
// The loops, the tile, and the reason why no weight is -128, are those of conv3x3_s8s8_hwc_2x4_ruy; windows lie two
// pixels apart.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each output channel, filled up to a multiple of 4.
//
// A zero point of the input, z, is the bias's business: bias[o] - z * the sum of the channel's weights. The weights have
// none.
//
// Cost of the hot loop, per 2 pixels x 4 output channels x 32 bytes of a run = 256 MACs: 56 instructions, 0.219 per MAC,
// 17 % above its floor of 48, as with stride 1. Around the hot loop a tile costs 96 instructions where runs have no
// bytes left over.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

#define KERNEL conv3x3s2_s8s8_hwc_2x4_ruy
#define STRIDE 2

#include "include/requantize_ruy.inc"
#include "include/conv3x3_s8s8_hwc_2x4.inc"
