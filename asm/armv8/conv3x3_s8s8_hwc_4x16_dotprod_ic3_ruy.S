/*toml
summary   = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k] + bias[o], requantized as in ruy to int8, HWC, 3 channels, weights packed, sdot"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t in_channels, size_t out_channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv8.2-a", "neon", "dotprod"]
stack     = 256
[args]
input        = { reg = "x0", read = { rows = "height+2", bytes = "3*(width+2)", pitch = "input_pitch" }, layout = "hwc", dtype = "int8" }
weights      = { reg = "x1", read = "448*((out_channels+15)//16)", layout = "oc16_taps28", dtype = "int8" }
output       = { reg = "x2", write = { rows = "height", bytes = "width*out_channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "x3", range = [1, 65536] }
width        = { reg = "x4", range = [1, 65536] }
in_channels  = { reg = "x5", range = [3, 3] }
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
// point: a pixel more on each side. Pitches are the bytes from one row to the next.
//
// For the first layer of a network. The loops, the tile, the order of the weights, what is left of the sums, and the
// values that are allowed, are those of conv3x3s2_s8s8_hwc_4x16_dotprod_ic3_ruy; windows lie a pixel apart.
//
// Cost of the hot loop, per 4 pixels x 16 output channels x 27 taps = 1728 MACs: 240 instructions, 0.139 per MAC, as
// there, where they are told apart and compared with the floor. Gathering 4 pixels takes 24 loads, once for all output
// channels.

    .arch armv8.2-a+dotprod
    .text

#define KERNEL conv3x3_s8s8_hwc_4x16_dotprod_ic3_ruy
#define STRIDE 1

#include "include/requantize_ruy.inc"
#include "include/conv3x3_s8s8_hwc_4x16_dotprod_ic3.inc"
