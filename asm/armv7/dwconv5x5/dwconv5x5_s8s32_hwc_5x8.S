/*toml
extends = "dwconv5x5_s8s32_hwc_5x8.inc"
summary = "output[y][x][c] = sum_ij weights[i][j][c] * input[y+i][x+j][c], int8 x int8 -> int32, HWC"
*/

// Channels lie in lanes. Two taps of one channel lie in neighbouring lanes, so that vpadal, which adds neighbours, can
// add up 4 products in place of the 2 that vaddw can: rows 0 and 1 of each column are zipped as they come in, and so
// are rows 2 and 3; they serve five pixels. Columns 0 and 1 of row 4, and 2 and 3, are zipped for each pixel: with a
// column of two rows beside them, one vzip of 16 bytes does for both. The weights are zipped the same way beforehand,
// 12 vectors and a half for each 8 channels, the last filled up with zeros:
//
//     (row 0, row 1) of columns 0-4; (row 2, row 3) of columns 0-4; columns (0, 1) and (2, 3) of row 4; column 4 of row 4
//
// 25 taps of 8 channels and as many weights are more than 16 registers hold. So the window is done in two parts, each
// for up to 60 pixels of a row, and the sums wait in the frame in between. The parts, and where they live, for pixel 0
// of 5; pixel 1 has the columns 1 to 4 and a new one in the place of column 0, and so on round:
//
//                  column 0    column 1    column 2    column 3    column 4     weights
//               +-----------+-----------+-----------+-----------+-----------+
//     rows 0, 1 | q1        | q2        | q3        | q4        | q5        |   q8    q9    q10   q11   q12
//               +-----------+-----------+-----------+-----------+-----------+
//         row 4 | q0                    |                                       q13
//               +-----------------------+
//
//               +-----------+-----------+-----------+-----------+-----------+
//     rows 2, 3 | q1        | q2        | q3        | q4        | q5        |   q8    q9    q10   q11   q12
//               +-----------+-----------+-----------+-----------+-----------+
//         row 4                         | q0                    | d14       |               q13         d15
//                                       +-----------------------+-----------+
//
//     q6 and q7, then q6 and q0: products, int16, as are those in the place of the first column once that is multiplied for
//     the last time; q14, q15: sums of 8 channels, int32
//
// Cost of the hot loop, per 5 pixels x 8 channels x 25 taps = 1000 MACs:
//     125 vmull and vmlal, 60 vpaddl and vpadal, 10 vaddw, 45 vld1, 10 vzip; 5 loads and 5 stores of sums, 5 vst1, 4 for
//     the two loops = 269 instructions, 0.269 per MAC.
// The floor is 39 instructions for a pixel's 200 MACs, 0.195 per MAC: 25 multiplies, and 14 to widen and add. With the
// two that 16 registers are too few for, to store the sums and load them again, it is 41, 0.205 per MAC, and 31 % above
// that are the zips that make it so low, and the loads and stores. Without zips it would be 51, 0.255 per MAC, and two
// parts as well. Around the hot loop a row costs 81 instructions for each 8 channels and each 60 pixels.

#define KERNEL dwconv5x5_s8s32_hwc_5x8
#define STRIDE 1
#include "dwconv5x5_s8s32_hwc_5x8.inc"
