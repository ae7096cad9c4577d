/*toml
summary   = "output[y][x][c] = sum_ij weights[i][j][c] * input[2*y+i][2*x+j][c] + bias[c], requantized in float32 as in QNNPACK to int8, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const float *scales, const int16_t *range)"
isa       = ["armv8.0-a", "neon"]
stack     = 2064
[args]
input        = { reg = "x0", read = { rows = "2*height+3", bytes = "(2*width+3)*channels", pitch = "input_pitch" }, over_read = 7, layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "x1", read = "200*((channels+7)//8)", layout = "c8_pairs12", dtype = "int8", range = [-127, 127] }
output       = { reg = "x2", write = { rows = "height", bytes = "width*channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "x3", range = [1, 65536] }
width        = { reg = "x4", range = [1, 65536] }
channels     = { reg = "x5", range = [1, 65536] }
input_pitch  = { reg = "x6", range = [1, 16777216] }
output_pitch = { reg = "x7", range = [1, 16777216] }
bias         = { reg = "stack+0", read = "4*8*((channels+7)//8)", layout = "c8", dtype = "int32", range = [-536870912, 536870912] }
scales       = { reg = "stack+8", read = "4*8*((channels+7)//8)", layout = "c8", dtype = "float32", range = [1e-9, 256.0] }
range        = { reg = "stack+16", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
[counts]
macs = "25*height*width*channels"
*/

// Height and width are the output's. The input is an image with its padding around it, which holds the input's zero
// point: twice the output's pixels and three more in each direction. Pitches are the bytes from one row to the next.
//
// The loops, outermost first:
//
//     for each row of the output
//         for each 8 channels               the last 1-7 as 8, of which 1-7 are stored
//             for each 60 pixels            then the rest
//                 for each 5 pixels         then the last 0-4: the window as in dwconv5x5s2_s8s32_hwc_5x8
//                     sums[8] = bias[8] + the window * weights[25][8], for each pixel, kept in the frame
//                 for each 2 pixels         then the last one
//                     output[8] = sums, requantized
//
// Windows and weights take all registers. So what scaling needs takes their place once for up to 60 pixels, not for
// each; the sums wait in the frame, 32 bytes a pixel. No weight is -128 for the reason given in
// dwconv5x5s2_s8s32_hwc_5x8.
//
// The output: sum + bias, times scale, + zero point, held to [lowest, highest]; range holds these three. bias and scales
// have an element for each channel, filled up to a multiple of 8.
//
// A zero point of the input, z, is the bias's business: bias[c] - z * sum_ij weights[i][j][c]. The weights have none.
//
// The int32 sums are safe: they stay below 25 * 128 * 127 + 2^29 < 2^31.
//
// The last 8 channels of a pixel may end up to 7 bytes behind it, and behind a row: what is loaded there goes nowhere.
//
// Cost of the hot loop, per 5 pixels x 8 channels x 25 taps = 1000 MACs:
//     125 smull and smlal, 60 sadalp, 10 saddw, 50 ld1, 25 zip, 2 for the loop; 5 x 16 to turn 8 sums into 8 int8 and
//     store them = 352 instructions, 0.352 per MAC.
// Of the 16, 1 loads the bias, 1 stores the sums and 1 loads them, 6 scale, 5 narrow, add the zero point and clamp,
// 1 stores and 1 is for the loop: scaled right away they would take 28, as the scales and some weights would have to be
// loaded each time. The window itself costs what it costs without requantization, 277 with its stores, 13 % above its
// floor of 245. Around the hot loop a row costs 68 instructions for each 8 channels and each 60 pixels.

    .arch armv8-a
    .text

#define KERNEL dwconv5x5s2_s8s8_hwc_5x8_fp32
#define STRIDE 2

#include "include/requantize_fp32.inc"
#include "include/dwconv5x5_s8s8_hwc_5x8.inc"
