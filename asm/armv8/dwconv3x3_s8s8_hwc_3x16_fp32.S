/*toml
summary   = "output[y][x][c] = sum_ij weights[i][j][c] * input[y+i][x+j][c] + bias[c], requantized in float32 as in QNNPACK to int8, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const float *scales, const int16_t *range)"
isa       = ["armv8.0-a", "neon"]
stack     = 3952
[args]
input        = { reg = "x0", read = { rows = "height+2", bytes = "(width+2)*channels", pitch = "input_pitch" }, over_read = 15, layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "x1", read = "144*((channels+15)//16)", layout = "c16_pairs4", dtype = "int8", range = [-127, 127] }
output       = { reg = "x2", write = { rows = "height", bytes = "width*channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "x3", range = [1, 65536] }
width        = { reg = "x4", range = [1, 65536] }
channels     = { reg = "x5", range = [1, 65536] }
input_pitch  = { reg = "x6", range = [1, 16777216] }
output_pitch = { reg = "x7", range = [1, 16777216] }
bias         = { reg = "stack+0", read = "4*16*((channels+15)//16)", layout = "c16", dtype = "int32", range = [-536870912, 536870912] }
scales       = { reg = "stack+8", read = "4*16*((channels+15)//16)", layout = "c16", dtype = "float32", range = [1e-9, 256.0] }
range        = { reg = "stack+16", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
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
//             for each 60 pixels            then the rest
//                 for each 3 pixels         then the last 0-2
//                     sums[16] = bias[16] + the window * weights[9][16], for each pixel, kept in the frame
//                 for each pixel
//                     output[16] = sums, requantized
//
// The window and the weights are those of dwconv3x3_s8s32_hwc_3x16, and so is the reason why no weight is -128.
// The sums of up to 60 pixels wait in the frame, so that what scaling needs is in registers once for all, not loaded for
// each.
//
// The output: sum + bias, times scale, + zero point, held to [lowest, highest]; range holds these three. bias and scales
// have an element for each channel, filled up to a multiple of 16.
//
// A zero point of the input, z, is the bias's business: bias[c] - z * sum_ij weights[i][j][c]. The weights have none.
//
// The int32 sums are safe: they stay below 9 * 128 * 127 + 2^29 < 2^31.
//
// The last 16 channels of a pixel may end up to 15 bytes behind it, and behind a row: what is loaded there goes
// nowhere.
//
// Cost of the hot loop, per 3 pixels x 16 channels x 9 taps = 432 MACs:
//     54 smull and smlal, 24 sadalp, 12 saddw, 9 ld1, 12 zip, 2 for the loop; 3 x 28 to turn 16 sums into 16 int8 and
//     store them = 197 instructions, 0.456 per MAC.
// Of the 28, 1 loads the bias, 1 stores the sums and 1 loads them, 12 scale, 10 narrow, add the zero point and clamp, 1
// stores and 2 are for the loop. Without a bias, and with int32 to store, the window costs 116, 29 % above its floor of
// 90. Around the hot loop a row costs 50 instructions for each 16 channels and each 60 pixels.

    .arch armv8-a
    .text

#define KERNEL dwconv3x3_s8s8_hwc_3x16_fp32
#define STRIDE 1

#include "include/requantize_fp32.inc"
#include "include/dwconv3x3_s8s8_hwc_3x16.inc"
