/* Floats to int8: times a factor, to the nearest, ties to even, within the range of int8; in place where both are one. */
#include <arm_neon.h>
#include <math.h>
#include <stddef.h>

void quantize(size_t n, const float *in, int8_t *out, float factor)
{
    size_t i = 0;
    /* 1.5 * 2^23 leaves no room for a fraction */
    const float32x4_t magic = vdupq_n_f32(12582912.0f);
    const int32x4_t integer = vreinterpretq_s32_f32(magic);
    for (; i + 8 <= n; i += 8) {
        float32x4_t x = vmulq_n_f32(vld1q_f32(in + i), factor), y = vmulq_n_f32(vld1q_f32(in + i + 4), factor);
        int32x4_t low = vsubq_s32(vreinterpretq_s32_f32(vaddq_f32(x, magic)), integer);
        int32x4_t high = vsubq_s32(vreinterpretq_s32_f32(vaddq_f32(y, magic)), integer);
        vst1_s8(out + i, vqmovn_s16(vcombine_s16(vqmovn_s32(low), vqmovn_s32(high))));
    }
    for (; i < n; i++) {
        long x = lrintf(in[i] * factor);
        out[i] = (int8_t)(x < -128 ? -128 : x > 127 ? 127 : x);
    }
}

void quantize_c(size_t n, const float *in, int8_t *out, float factor)
{
    for (size_t i = 0; i < n; i++) {
        float x = rintf(in[i] * factor);
        out[i] = (int8_t)(x < -128.0f ? -128.0f : x > 127.0f ? 127.0f : x);
    }
}
