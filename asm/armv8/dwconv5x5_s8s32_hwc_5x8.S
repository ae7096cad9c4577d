/*toml
summary   = "output[y][x][c] = sum_ij weights[i][j][c] * input[y+i][x+j][c], int8 x int8 -> int32, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t height, size_t width, size_t channels, size_t input_pitch, size_t output_pitch)"
isa       = ["armv8.0-a", "neon"]
stack     = 96
[args]
input        = { reg = "x0", read = { rows = "height+4", bytes = "(width+4)*channels", pitch = "input_pitch" }, over_read = 7, layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "x1", read = "200*((channels+7)//8)", layout = "c8_pairs12", dtype = "int8", range = [-127, 127] }
output       = { reg = "x2", write = { rows = "height", bytes = "4*width*channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int32" }
height       = { reg = "x3", range = [1, 65536] }
width        = { reg = "x4", range = [1, 65536] }
channels     = { reg = "x5", range = [1, 65536] }
input_pitch  = { reg = "x6", range = [1, 16777216] }
output_pitch = { reg = "x7", range = [4, 67108864], step = 4 }
[counts]
macs = "25*height*width*channels"
*/

// Height and width are the output's. The input is an image with its padding around it, which holds the input's zero
// point: two pixels more on each side. Pitches are the bytes from one row to the next.
//
// The loops, outermost first:
//
//     for each row of the output
//         for each 8 channels               the last 1-7 as 8, of which 1-7 are stored
//             for each 5 pixels             then the last 0-4
//                 sums[8] = the window * weights[25][8], for each pixel
//                 output[8] = sums
//
// Channels lie in lanes. Two taps of one channel lie in neighbouring lanes, so that sadalp, which adds neighbours, can
// add up 4 products in place of the 2 that saddw can: rows 0 and 1 of each column are zipped as they come in, and so
// are rows 2 and 3; they serve five pixels. Of row 4, a column is zipped with the next one, once for two pixels. The
// weights are zipped the same way beforehand, 12 vectors and a half for each 8 channels, the last filled up with zeros:
//
//     (row 0, row 1) of columns 0-4; (row 2, row 3) of columns 0-4; columns (0, 1) and (2, 3) of row 4; column 4 of row 4
//
// The window, and where it lives, for pixel 0 of 5; pixel 1 has the columns 1 to 4 and a new one in
// the place of column 0, and so on round:
//
//                  column 0    column 1    column 2    column 3    column 4     weights
//               +-----------+-----------+-----------+-----------+-----------+
//     rows 0, 1 | v1        | v2        | v3        | v4        | v5        |   v16   v17   v18   v19   v20
//               +-----------+-----------+-----------+-----------+-----------+
//     rows 2, 3 | v6        | v7        | v8        | v9        | v10       |   v21   v22   v23   v24   v25
//               +-----------+-----------+-----------+-----------+-----------+
//         row 4 | v11: 0, 1 | v12: 1, 2 | v13: 2, 3 | v14: 3, 4 | v15: 4    |   v26         v27         v28
//               +-----------+-----------+-----------+-----------+-----------+
//
//     v0, v29: products, int16, and rows 1 and 3 on their way; so are the first column's two, v1 and v6, once they are
//     multiplied for the last time; v30, v31: sums of 8 channels, int32
//
// With 16 channels at a time neither the window nor the weights would fit. Why weights lie in [-127, 127]: two products
// are added in int16. -128 * -127 twice is 32512 and -128 * 127 twice is -32512, both int16; only -128 * -128 twice,
// 32768, is not. The int32 sums cannot overflow: 25 * 128 * 127.
//
// The last 8 channels of a pixel may end up to 7 bytes behind it, and behind a row: what is loaded there goes nowhere.
//
// Cost of the hot loop, per 5 pixels x 8 channels x 25 taps = 1000 MACs:
//     125 smull and smlal, 60 sadalp, 10 sxtl, 25 ld1, 15 zip, 5 st1, 2 for the loop = 242 instructions, 0.242 per MAC.
// The floor is 39 instructions for a pixel's 200 MACs, 0.195 per MAC: 25 multiplies, and 14 to widen and add; 24 %
// above it are the zips that make it so low, and the loads and stores. Without zips it is 51, 0.255 per MAC. Around the
// hot loop a row costs 55 instructions for each 8 channels. The bytes: 40 loaded and 32 stored for 200 MACs.

    .arch armv8-a
    .text

#define KERNEL dwconv5x5_s8s32_hwc_5x8
#define STRIDE 1

#include "include/dwconv5x5_s8s32_hwc_5x8.inc"
