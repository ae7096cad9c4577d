/* Sums of int32 to int8: bias, a multiplier of 31 bits with a shift right, a zero point, and a clamp. */
#include <arm_neon.h>
#include <stddef.h>

struct requantization {
    int32_t multiplier;
    int32_t shift; /* to the right, 1 to 20 */
    int16_t zero_point;
    int8_t low, high;
};

void requantize(size_t n, const int32_t *sums, const int32_t *bias, int8_t *out, const struct requantization *p)
{
    const int32x4_t shift = vdupq_n_s32(-p->shift);
    const int16x8_t zero_point = vdupq_n_s16(p->zero_point);
    const int8x8_t low = vdup_n_s8(p->low), high = vdup_n_s8(p->high);
    for (size_t i = 0; i < n; i += 8) {
        int32x4_t x = vqaddq_s32(vld1q_s32(sums + i), vld1q_s32(bias + i));
        int32x4_t y = vqaddq_s32(vld1q_s32(sums + i + 4), vld1q_s32(bias + i + 4));
        x = vrshlq_s32(vqrdmulhq_n_s32(x, p->multiplier), shift);
        y = vrshlq_s32(vqrdmulhq_n_s32(y, p->multiplier), shift);
        int16x8_t narrow = vqaddq_s16(vcombine_s16(vqmovn_s32(x), vqmovn_s32(y)), zero_point);
        int8x8_t byte = vqmovn_s16(narrow);
        byte = vmin_s8(vmax_s8(byte, low), high);
        vst1_s8(out + i, byte);
    }
}

static int32_t limited(int64_t x, int32_t low, int32_t high)
{
    return x < low ? low : x > high ? high : (int32_t)x;
}

void requantize_c(size_t n, const int32_t *sums, const int32_t *bias, int8_t *out, const struct requantization *p)
{
    for (size_t i = 0; i < n; i++) {
        int64_t x = limited((int64_t)sums[i] + bias[i], INT32_MIN, INT32_MAX);
        x = limited((x * p->multiplier * 2 + (1LL << 31)) >> 32, INT32_MIN, INT32_MAX);
        x = (x + (1LL << (p->shift - 1))) >> p->shift;
        x = limited(limited(x, -32768, 32767) + p->zero_point, -32768, 32767);
        x = limited(x, -128, 127);
        out[i] = (int8_t)(x < p->low ? (p->low > p->high ? p->high : p->low) : x > p->high ? p->high : x);
    }
}
