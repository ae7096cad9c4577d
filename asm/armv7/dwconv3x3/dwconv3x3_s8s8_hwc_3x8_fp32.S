/*toml
extends   = "dwconv3x3_s8s8_hwc_3x8.inc"
summary   = "output[y][x][c] = sum_ij weights[i][j][c] * input[y+i][x+j][c] + bias[c], requantized in float32 as in QNNPACK to int8, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const float *scales, const int16_t *range)"
[args]
scales = { reg = "stack+20", read = "4*8*((channels+7)//8)", layout = "c8", dtype = "float32", range = [1e-9, 256.0] }
range  = { reg = "stack+24" }
*/

// Cost of the hot loop, per 6 pixels x 8 channels x 9 taps = 432 MACs:
//     54 vmull and vmlal, 24 vpadal, 12 vaddl, 18 vld1, 6 vzip, 6 vst1, 4 for the loop; 3 x 53 to turn 2 x 8 sums into
//     2 x 8 int8 and store them = 283 instructions, 0.655 per MAC.
// Of the 53, 8 load the sums, 64 bits at a time, 4 add the bias, 24 scale, 12 narrow, add the zero point and clamp, 2
// store and 3 are for the loop. Without a bias, and with int32 to store, the window costs 62, 38 % above its floor of
// 45. Around the hot loop a row costs 71 instructions for each 8 channels and each 60 pixels.

#define KERNEL dwconv3x3_s8s8_hwc_3x8_fp32
#define STRIDE 1
#include "../include/two_pixels_fp32.inc"
#include "dwconv3x3_s8s8_hwc_3x8.inc"
