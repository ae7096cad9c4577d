/* The average of each channel over the pixels, rounded to nearest, ties away from zero. */
#include <arm_neon.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void average(size_t pixels, size_t channels, const int8_t *in, int8_t *out)
{
    int32_t *sums = malloc(channels * sizeof *sums);
    memset(sums, 0, channels * sizeof *sums);
    for (size_t p = 0; p < pixels; p++) {
        const int8_t *row = in + p * channels;
        size_t c = 0;
        for (; c + 8 <= channels; c += 8) {
            int16x8_t x = vmovl_s8(vld1_s8(row + c));
            vst1q_s32(sums + c, vaddw_s16(vld1q_s32(sums + c), vget_low_s16(x)));
            vst1q_s32(sums + c + 4, vaddw_s16(vld1q_s32(sums + c + 4), vget_high_s16(x)));
        }
        for (; c < channels; c++)
            sums[c] += row[c];
    }
    for (size_t c = 0; c < channels; c++)
        out[c] = (int8_t)lroundf((float)sums[c] / (float)pixels);
    free(sums);
}

void average_c(size_t pixels, size_t channels, const int8_t *in, int8_t *out)
{
    for (size_t c = 0; c < channels; c++) {
        int32_t sum = 0;
        for (size_t p = 0; p < pixels; p++)
            sum += in[p * channels + c];
        int32_t magnitude = sum < 0 ? -sum : sum, count = (int32_t)pixels;
        int32_t rounded = (2 * magnitude + count) / (2 * count);
        out[c] = (int8_t)(sum < 0 ? -rounded : rounded);
    }
}
