/*toml
extends   = "dwconv3x3_s8s8_hwc_3x8.inc"
summary   = "output[y][x][c] = sum_ij weights[i][j][c] * input[y+i][x+j][c] + bias[c], requantized in float32 as in QNNPACK to int8, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const float *scales, const int16_t *range)"
[args]
scales = { reg = "stack+20", read = "4*8*((channels+7)//8)", layout = "c8", dtype = "float32", range = [1e-9, 256.0] }
range  = { reg = "stack+24" }
*/

// Cost of the hot loop, per 3 pixels x 8 channels x 9 taps = 216 MACs:
//     27 vmull and vmlal, 12 vpadal, 12 vaddw, 9 vld1, 3 vzip, 2 for the loop; 3 x 22 to turn 8 sums into 8 int8 and
//     store them = 131 instructions, 0.606 per MAC.
// Of the 22, 1 loads the bias, 1 stores the sums and 1 loads them, 12 scale, 5 narrow, add the zero point and clamp, 1
// stores and 1 is for the loop. Without a bias, and with int32 to store, the window costs 68, 33 % above its floor of
// 51. Around the hot loop a row costs 67 instructions for each 8 channels and each 60 pixels.

#define KERNEL dwconv3x3_s8s8_hwc_3x8_fp32
#define STRIDE 1
#include "../include/requantize_fp32.inc"
#include "dwconv3x3_s8s8_hwc_3x8.inc"
