/* A depthwise convolution of 3 rows by 3 columns at one output pixel after another, channels innermost.
   input holds the addresses of 9 pixels for each output pixel; those outside the image are `zero`. */
#include <arm_neon.h>
#include <stddef.h>

void depthwise3(size_t channels, size_t pixels, const int8_t *const *input, const int8_t *weights,
                const int32_t *bias, int32_t *out, const int8_t *zero)
{
    (void)zero;
    for (size_t p = 0; p < pixels; p++, input += 9, out += channels) {
        size_t c = 0;
        for (; c + 8 <= channels; c += 8) {
            int32x4_t low = vld1q_s32(bias + c), high = vld1q_s32(bias + c + 4);
            for (size_t k = 0; k < 9; k++) {
                int16x8_t x = vmovl_s8(vld1_s8(input[k] + c));
                int16x8_t w = vmovl_s8(vld1_s8(weights + k * channels + c));
                low = vmlal_s16(low, vget_low_s16(x), vget_low_s16(w));
                high = vmlal_s16(high, vget_high_s16(x), vget_high_s16(w));
            }
            vst1q_s32(out + c, low);
            vst1q_s32(out + c + 4, high);
        }
        for (; c < channels; c++) {
            int32_t sum = bias[c];
            for (size_t k = 0; k < 9; k++)
                sum += input[k][c] * weights[k * channels + c];
            out[c] = sum;
        }
    }
}

void depthwise3_c(size_t channels, size_t pixels, const int8_t *const *input, const int8_t *weights,
                  const int32_t *bias, int32_t *out, const int8_t *zero)
{
    (void)zero;
    for (size_t p = 0; p < pixels; p++)
        for (size_t c = 0; c < channels; c++) {
            int32_t sum = bias[c];
            for (size_t k = 0; k < 9; k++)
                sum += input[9 * p + k][c] * weights[k * channels + c];
            out[p * channels + c] = sum;
        }
}
