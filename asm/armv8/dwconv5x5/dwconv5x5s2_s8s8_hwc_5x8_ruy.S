/*toml
extends = "dwconv5x5_s8s8_hwc_5x8.inc"
summary = "output[y][x][c] = sum_ij weights[i][j][c] * input[2*y+i][2*x+j][c] + bias[c], requantized as in ruy to int8, HWC"
[args]
input = { read = { rows = "2*height+3", bytes = "(2*width+3)*channels" } }
*/

// Cost of the hot loop, per 5 pixels x 8 channels x 25 taps = 1000 MACs:
//     125 smull and smlal, 50 sadalp, 10 saddlp, 10 saddw, 50 ld1, 25 zip, 2 for the loop; 5 x 20 to turn 8 sums
//     into 8 int8 and store them = 372 instructions, 0.372 per MAC.
// Of the 20, 1 stores the sums and 4 load them, by halves, 2 add the bias, 6 scale, 5 narrow, add the zero point and
// clamp, 1 stores and 1 is for the loop: scaled right away they would take 28, as the scales and some weights would
// have to be loaded each time. The window itself costs what it costs without requantization, 277 with its stores, 13 %
// above its floor of 245. Around the hot loop a row costs 84 instructions for each 8 channels and each 60 pixels.

#define KERNEL dwconv5x5s2_s8s8_hwc_5x8_ruy
#define STRIDE 2
#include "../include/sixteen_sums_ruy.inc"
#include "dwconv5x5_s8s8_hwc_5x8.inc"
