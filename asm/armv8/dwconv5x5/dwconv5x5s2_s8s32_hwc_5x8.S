/*toml
extends = "dwconv5x5_s8s32_hwc_5x8.inc"
summary = "output[y][x][c] = sum_ij weights[i][j][c] * input[2*y+i][2*x+j][c], int8 x int8 -> int32, HWC"
[args]
input = { read = { rows = "2*height+3", bytes = "(2*width+3)*channels" } }
*/

// Channels lie in lanes. Two taps of one channel lie in neighbouring lanes, so that sadalp, which adds neighbours, can
// add up 4 products in place of the 2 that saddw can: rows 0 and 1 of each column are zipped as they come in, and so
// are rows 2 and 3; they serve two or three pixels. Of row 4, a column is zipped with the next one, once for two
// pixels. The weights are zipped the same way beforehand, 12 vectors and a half for each 8 channels, the last filled up
// with zeros:
//
//     (row 0, row 1) of columns 0-4; (row 2, row 3) of columns 0-4; columns (0, 1) and (2, 3) of row 4; column 4 of row 4
//
// The window, and where it lives, for pixel 0 of 5; pixel 1 has the columns 2 to 4 and two new ones
// in the place of columns 0 and 1, and so on round:
//
//                  column 0    column 1    column 2    column 3    column 4     weights
//               +-----------+-----------+-----------+-----------+-----------+
//     rows 0, 1 | v1        | v2        | v3        | v4        | v5        |   v16   v17   v18   v19   v20
//               +-----------+-----------+-----------+-----------+-----------+
//     rows 2, 3 | v6        | v7        | v8        | v9        | v10       |   v21   v22   v23   v24   v25
//               +-----------+-----------+-----------+-----------+-----------+
//         row 4 | v11: 0, 1 | v12: -    | v13: 2, 3 | v14: 3    | v15: 4    |   v26         v27         v28
//               +-----------+-----------+-----------+-----------+-----------+
//
//     v0, v29: products, int16, and rows 1 and 3 on their way; so are the first column's two, v1 and v6, once they are
//     multiplied for the last time; v30, v31: sums of 8 channels, int32
//
// Cost of the hot loop, per 5 pixels x 8 channels x 25 taps = 1000 MACs:
//     125 smull and smlal, 60 sadalp, 10 sxtl, 50 ld1, 25 zip, 5 st1, 2 for the loop = 277 instructions, 0.277 per MAC.
// The floor of the arithmetic is that of stride 1: 39 instructions for a pixel's 200 MACs, 0.195 per MAC. But here two
// new columns a pixel take 10 loads, whatever is done with them, as 16 channels at a time would not fit: with those the
// floor is 49, 0.245 per MAC, and 13 % above it are the zips, which save more than they cost, and the stores. Around
// the hot loop a row costs 46 instructions for each 8 channels. The bytes: 80 loaded and 32 stored for 200 MACs.

#define KERNEL dwconv5x5s2_s8s32_hwc_5x8
#define STRIDE 2
#include "dwconv5x5_s8s32_hwc_5x8.inc"
