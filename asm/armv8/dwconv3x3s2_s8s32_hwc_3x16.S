/*toml
summary   = "output[y][x][c] = sum_ij weights[i][j][c] * input[2*y+i][2*x+j][c], int8 x int8 -> int32, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t height, size_t width, size_t channels, size_t input_pitch, size_t output_pitch)"
isa       = ["armv8.0-a", "neon"]
stack     = 64
[args]
input        = { reg = "x0", read = { rows = "2*height+1", bytes = "(2*width+1)*channels", pitch = "input_pitch" }, over_read = 15, layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "x1", read = "144*((channels+15)//16)", layout = "c16_pairs4", dtype = "int8", range = [-127, 127] }
output       = { reg = "x2", write = { rows = "height", bytes = "4*width*channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int32" }
height       = { reg = "x3", range = [1, 65536] }
width        = { reg = "x4", range = [1, 65536] }
channels     = { reg = "x5", range = [1, 65536] }
input_pitch  = { reg = "x6", range = [1, 16777216] }
output_pitch = { reg = "x7", range = [4, 67108864], step = 4 }
[counts]
macs = "9*height*width*channels"
*/

// Height and width are the output's. The input is an image with its padding around it, which holds the input's zero
// point: twice the output's pixels and one more in each direction. Pitches are the bytes from one row to the next.
//
// The loops, outermost first:
//
//     for each row of the output
//         for each 16 channels              the last 1-15 as 16, of which 1-15 are stored
//             for each 3 pixels             then the last 0-2
//                 sums[16] = the window * weights[9][16], for each pixel
//                 output[16] = sums
//
// The channels and the weights lie as in dwconv3x3_s8s32_hwc_3x16, and so does the window, but that it moves on by two
// columns: the third becomes the first, and two new ones come in. Weights are not -128 for the reason given there.
//
// The last 16 channels of a pixel may end up to 15 bytes behind it, and behind a row: what is loaded there goes
// nowhere.
//
// Cost of the hot loop, per 3 pixels x 16 channels x 9 taps = 432 MACs:
//     54 smull and smlal, 24 sadalp, 12 sxtl, 18 ld1, 18 zip, 3 st1, 2 for the loop = 131 instructions, 0.303 per MAC.
// The floor of the arithmetic is that of stride 1: 30 instructions for a pixel's 144 MACs, 0.208 per MAC, or 36 and
// 0.250 per MAC without zips. But two new columns a pixel take 6 loads, whatever is done with them: each byte of the
// input comes in for 2 or 3 products only. With those the floor is 36, 0.250 per MAC, and 21 % above it are 6 zips,
// which save as many instructions, and the store. Around the hot loop a row costs 26 instructions for each 16 channels.
// The bytes: 96 loaded and 64 stored for 144 MACs.

    .arch armv8-a
    .text

#define KERNEL dwconv3x3s2_s8s32_hwc_3x16
#define STRIDE 2

#include "include/dwconv3x3_s8s32_hwc_3x16.inc"
