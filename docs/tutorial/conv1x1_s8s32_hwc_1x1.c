#include <stddef.h>
#include <stdint.h>

void conv1x1_s8s32_hwc_1x1(const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels,
                   size_t out_channels)
{
    for (size_t p = 0; p < pixels; p++)
        for (size_t o = 0; o < out_channels; o++) {
            int32_t sum = 0;
            for (size_t i = 0; i < in_channels; i++)
                sum += input[p * in_channels + i] * weights[o * in_channels + i];
            output[p * out_channels + o] = sum;
        }
}
