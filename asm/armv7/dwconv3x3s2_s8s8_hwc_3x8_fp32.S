/*toml
summary   = "output[y][x][c] = sum_ij weights[i][j][c] * input[2*y+i][2*x+j][c] + bias[c], requantized in float32 as in QNNPACK to int8, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const float *scales, const int16_t *range)"
isa       = ["armv7-a", "neon"]
stack     = 2052
[args]
input        = { reg = "r0", read = { rows = "2*height+1", bytes = "(2*width+1)*channels", pitch = "input_pitch" }, over_read = 7, layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "r1", read = "72*((channels+7)//8)", layout = "c8_pairs4", dtype = "int8", range = [-127, 127] }
output       = { reg = "r2", write = { rows = "height", bytes = "width*channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "r3", range = [1, 65536] }
width        = { reg = "stack+0", range = [1, 65536] }
channels     = { reg = "stack+4", range = [1, 65536] }
input_pitch  = { reg = "stack+8", range = [1, 16777216] }
output_pitch = { reg = "stack+12", range = [1, 16777216] }
bias         = { reg = "stack+16", read = "4*8*((channels+7)//8)", layout = "c8", dtype = "int32", range = [-536870912, 536870912] }
scales       = { reg = "stack+20", read = "4*8*((channels+7)//8)", layout = "c8", dtype = "float32", range = [1e-9, 256.0] }
range        = { reg = "stack+24", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
[counts]
macs = "9*height*width*channels"
*/

// Height and width are the output's. The input is an image with its padding around it, which holds the input's zero
// point: twice the output's pixels and one more in each direction. Pitches are the bytes from one row to the next.
//
// The loops, outermost first:
//
//     for each row of the output
//         for each 8 channels               the last 1-7 as 8, of which 1-7 are stored
//             for each 60 pixels            then the rest
//                 for each 3 pixels         then the last 0-2
//                     sums[8] = bias[8] + the window * weights[9][8], for each pixel, kept in the frame
//                 for each 2 pixels         then the last one
//                     output[8] = sums, requantized
//
// The window and the weights are those of dwconv3x3s2_s8s32_hwc_3x8, and so is the reason why no weight is -128.
// The sums of up to 60 pixels wait in the frame, so that what scaling needs is in registers once for all, not loaded for
// each.
//
// The output: sum + bias, times scale, + zero point, held to [lowest, highest]; range holds these three. bias and scales
// have an element for each channel, filled up to a multiple of 8.
//
// A zero point of the input, z, is the bias's business: bias[c] - z * sum_ij weights[i][j][c]. The weights have none.
//
// The int32 sums are safe: they stay below 9 * 128 * 127 + 2^29 < 2^31.
//
// The last 8 channels of a pixel may end up to 7 bytes behind it, and behind a row: what is loaded there goes nowhere.
//
// Cost of the hot loop, per 3 pixels x 8 channels x 9 taps = 216 MACs:
//     27 vmull and vmlal, 12 vpadal, 6 vaddw, 18 vld1, 6 vzip, 2 for the loop; 3 x 22 to turn 8 sums into 8 int8 and
//     store them = 137 instructions, 0.634 per MAC.
// Of the 22, 1 loads the bias, 1 stores the sums and 1 loads them, 12 scale, 5 narrow, add the zero point and clamp, 1
// stores and 1 is for the loop. Without a bias, and with int32 to store, the window costs 74, 17 % above its floor of
// 63. Around the hot loop a row costs 63 instructions for each 8 channels and each 60 pixels.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

#define KERNEL dwconv3x3s2_s8s8_hwc_3x8_fp32
#define STRIDE 2

#include "include/requantize_fp32.inc"
#include "include/dwconv3x3_s8s8_hwc_3x8.inc"
