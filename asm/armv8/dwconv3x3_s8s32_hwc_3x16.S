/*toml
summary   = "output[y][x][c] = sum_ij weights[i][j][c] * input[y+i][x+j][c], int8 x int8 -> int32, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t height, size_t width, size_t channels, size_t input_pitch, size_t output_pitch)"
isa       = ["armv8.0-a", "neon"]
stack     = 64
[args]
input        = { reg = "x0", read = { rows = "height+2", bytes = "(width+2)*channels", pitch = "input_pitch" }, over_read = 15, layout = "hwc", dtype = "int8", range = [-128, 127] }
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
// point: a pixel more on each side. Pitches are the bytes from one row to the next.
//
// The loops, outermost first:
//
//     for each row of the output
//         for each 16 channels              the last 1-15 as 16, of which 1-15 are stored
//             for each 3 pixels             then the last 0-2
//                 sums[16] = the window * weights[9][16], for each pixel
//                 output[16] = sums
//
// Channels lie in lanes. Two taps of one channel lie in neighbouring lanes, so that sadalp, which adds neighbours, can
// add up 4 products in place of the 2 that saddw can: rows 0 and 1 of each column are zipped as they come in, and serve
// three pixels; of row 2, columns 0 and 1 are zipped for each pixel, and column 2 is left alone. The weights are zipped
// the same way beforehand, 9 vectors for each 16 channels, the last filled up with zeros:
//
//     (row 0, row 1) of column 0, of column 1, of column 2; (column 0, column 1) of row 2; column 2 of row 2
//
// The window, and where it lives, for pixel 0 of 3; pixel 1 has the second and third column and a new one in the first's
// place, and so on round:
//
//                  column 0        column 1        column 2         weights
//               +---------------+---------------+---------------+
//     rows 0, 1 | v25, v26      | v27, v8       | v9, v10       |   v16, v17    v18, v19    v20, v21
//               +---------------+---------------+---------------+
//         row 2 | v11           | v12           | v7            |        v22, v23           v24
//               +---------------+---------------+---------------+
//               |    zipped: v4, v5             |
//               +-------------------------------+
//
//     v0-v3: products, int16; v28-v31: sums of 16 channels, int32; v6: row 1 on its way
//
// Why weights lie in [-127, 127]: two products are added in int16. -128 * -127 twice is 32512 and -128 * 127 twice is
// -32512, both int16; only -128 * -128 twice, 32768, is not. The int32 sums cannot overflow: 9 * 128 * 127.
//
// The last 16 channels of a pixel may end up to 15 bytes behind it, and behind a row: what is loaded there goes nowhere.
//
// Cost of the hot loop, per 3 pixels x 16 channels x 9 taps = 432 MACs:
//     54 smull and smlal, 24 sadalp, 12 sxtl, 9 ld1, 12 zip, 3 st1, 2 for the loop = 116 instructions, 0.269 per MAC.
// The floor is 30 instructions for a pixel's 144 MACs, 0.208 per MAC: 18 multiplies, and 12 to widen and add; 29 %
// above it are the zips that make it so low, and the loads and stores. Without zips it is 36, 0.250 per MAC, be it with
// smull, smlal and saddw or with smlal of int16. Around the hot loop a row costs 31 instructions for each 16 channels.
// The bytes: 48 loaded and 64 stored for 144 MACs.

    .arch armv8-a
    .text

#define KERNEL dwconv3x3_s8s32_hwc_3x16
#define STRIDE 1

#include "include/dwconv3x3_s8s32_hwc_3x16.inc"
