/* A clamp of each row of an image; strides may be negative, which turns it upside down. */
#include <arm_neon.h>
#include <stddef.h>

void clamp_rows(size_t rows, size_t width, const uint8_t *in, ptrdiff_t in_stride, uint8_t *out, ptrdiff_t out_stride,
                uint8_t low, uint8_t high)
{
    for (size_t r = 0; r < rows; r++, in += in_stride, out += out_stride) {
        size_t i = 0;
        for (; i + 16 <= width; i += 16)
            vst1q_u8(out + i, vminq_u8(vmaxq_u8(vld1q_u8(in + i), vdupq_n_u8(low)), vdupq_n_u8(high)));
        for (; i < width; i++)
            out[i] = in[i] < low ? low : in[i] > high ? high : in[i];
    }
}

void clamp_rows_c(size_t rows, size_t width, const uint8_t *in, ptrdiff_t in_stride, uint8_t *out,
                  ptrdiff_t out_stride, uint8_t low, uint8_t high)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < width; i++) {
            uint8_t x = in[(ptrdiff_t)r * in_stride + (ptrdiff_t)i];
            out[(ptrdiff_t)r * out_stride + (ptrdiff_t)i] = x < low ? low : x > high ? high : x;
        }
}
