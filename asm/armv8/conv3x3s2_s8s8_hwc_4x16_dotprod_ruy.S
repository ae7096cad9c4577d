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

#define KERNEL conv3x3s2_s8s8_hwc_4x16_dotprod_ruy
#define STRIDE 2

#include "include/requantize_ruy.inc"
#include "include/conv3x3_s8s8_hwc_4x16_dotprod.inc"
