/*toml
summary   = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[2*y+i][2*x+j][k], int8 x int8 -> int32, HWC, weights packed, vsdot"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t height, size_t width, size_t in_channels, size_t out_channels, size_t input_pitch, size_t output_pitch)"
isa       = ["armv8.2-a", "a32", "neon", "dotprod"]
stack     = 200
[args]
input        = { reg = "r0", read = { rows = "2*height+1", bytes = "(2*width+1)*in_channels", pitch = "input_pitch" }, layout = "hwc", dtype = "int8" }
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
// point: twice the output's pixels and one more in each direction. Pitches are the bytes from one row to the next.
//
// The loops and the tile are those of conv3x3_s8s8_hwc_4x8_dotprod_ruy, and windows lie two pixels apart; but the sums
// start from 0 and leave as they are, int32: for a requantize_s32s8_rows of any scheme, or to be added to.
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

#define KERNEL conv3x3s2_s8s32_hwc_4x8_dotprod
#define STRIDE 2

#include "include/conv3x3_s8s32_hwc_4x8_dotprod.inc"
