/*toml
summary   = "output[y][x][o] = sum_ijk weights[o][i][j][k] * input[y+i][x+j][k], int8 x int8 -> int32, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t height, size_t width, size_t in_channels, size_t out_channels, size_t input_pitch, size_t output_pitch)"
isa       = ["armv8.0-a", "neon"]
stack     = 160
[args]
input        = { reg = "x0", read = { rows = "height+2", bytes = "(width+2)*in_channels", pitch = "input_pitch" }, layout = "hwc", dtype = "int8", range = [-128, 127] }
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
// point: a pixel more on each side. Pitches are the bytes from one row to the next.
//
// The loops and the tile are those of conv3x3_s8s8_hwc_4x4_ruy; but the sums start from 0 and leave as they are, int32:
// for a requantize_s32s8_rows of any scheme, or to be added to.
//
// Why weights lie in [-127, 127]: two products are added in int16. -128 * -127 twice is 32512 and -128 * 127 twice is
// -32512, both int16; only -128 * -128 twice, 32768, is not. The int32 sums are safe: 9 * 14678 * 128 * 127 < 2^31.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 32 bytes of a run = 512 MACs: 106 instructions, 0.207 per
// MAC, 10 % above its floor of 96, as there. Around the hot loop a tile costs 73 instructions where runs have no
// bytes left over.

    .arch armv8-a
    .text

#define KERNEL conv3x3_s8s32_hwc_4x4
#define STRIDE 1

#include "include/conv3x3_s8s32_hwc_4x4.inc"
