/*toml
extends   = "dwconv5x5_s8s8_hwc_5x8.inc"
summary   = "output[y][x][c] = sum_ij weights[i][j][c] * input[y+i][x+j][c] + bias[c], requantized in float32 as in QNNPACK to int8, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const float *scales, const int16_t *range)"
[args]
scales = { reg = "stack+20", read = "4*8*((channels+7)//8)", layout = "c8", dtype = "float32", range = [1e-9, 256.0] }
range  = { reg = "stack+24" }
*/

// Cost of the hot loop, per 10 pixels x 8 channels x 25 taps = 2000 MACs:
//     2 x 289, as in dwconv5x5_s8s32_hwc_5x8 but for 5 additions to a pointer; 5 x 53 to turn 2 x 8 sums into 2 x 8
//     int8 and store them = 843 instructions, 0.421 per MAC.
// Of the 53, 8 load the sums, 64 bits at a time, 4 add the bias, 24 scale, 12 narrow, add the zero point and clamp, 2
// store and 3 are for the loop. The window itself costs 289, 41 % above its floor of 205. Around the hot loop a row
// costs 117 instructions for each 8 channels and each 60 pixels.

#define KERNEL dwconv5x5_s8s8_hwc_5x8_fp32
#define STRIDE 1
#include "../include/two_pixels_fp32.inc"
#include "dwconv5x5_s8s8_hwc_5x8.inc"
