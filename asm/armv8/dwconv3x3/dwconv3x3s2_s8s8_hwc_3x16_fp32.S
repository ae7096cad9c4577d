/*toml
extends   = "dwconv3x3_s8s8_hwc_3x16.inc"
summary   = "output[y][x][c] = sum_ij weights[i][j][c] * input[2*y+i][2*x+j][c] + bias[c], requantized in float32 as in QNNPACK to int8, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t height, size_t width, size_t channels, size_t input_pitch, size_t output_pitch, const int32_t *bias, const float *scales, const int16_t *range)"
[args]
input  = { read = { rows = "2*height+1", bytes = "(2*width+1)*channels" } }
scales = { reg = "stack+8", read = "4*16*((channels+15)//16)", layout = "c16", dtype = "float32", range = [1e-9, 256.0] }
range  = { reg = "stack+16" }
*/

// Cost of the hot loop, per 3 pixels x 16 channels x 9 taps = 432 MACs:
//     54 smull and smlal, 24 sadalp, 12 sxtl, 24 ldr, 12 ld1, 18 zip, 2 for the loop; 3 x 38 to turn 16 sums into 16
//     int8 and store them = 260 instructions, 0.602 per MAC.
// Of the 38, 1 stores the sums and 8 load them, by halves, 4 add the bias, 12 scale, 10 narrow, add the zero point and
// clamp, 1 stores and 2 are for the loop. Without a bias, and with int32 to store, the window costs 149, 38 % above
// its floor of 108. Around the hot loop a row costs 53 instructions for each 16 channels and each 60 pixels.

#define KERNEL dwconv3x3s2_s8s8_hwc_3x16_fp32
#define STRIDE 2
#include "../include/sixteen_sums_fp32.inc"
#include "dwconv3x3_s8s8_hwc_3x16.inc"
