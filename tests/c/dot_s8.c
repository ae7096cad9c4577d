/* The sum of n products of int8. */
#include <arm_neon.h>
#include <stddef.h>

int32_t dot_s8(const int8_t *a, const int8_t *b, size_t n)
{
    int32x4_t sum = vdupq_n_s32(0);
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        int8x16_t x = vld1q_s8(a + i);
        int8x16_t y = vld1q_s8(b + i);
        sum = vpadalq_s16(sum, vmull_s8(vget_low_s8(x), vget_low_s8(y)));
        sum = vpadalq_s16(sum, vmull_s8(vget_high_s8(x), vget_high_s8(y)));
    }
    int32x2_t half = vadd_s32(vget_low_s32(sum), vget_high_s32(sum));
    int32_t total = vget_lane_s32(half, 0) + vget_lane_s32(half, 1);
    for (; i < n; i++)
        total += a[i] * b[i];
    return total;
}

int32_t dot_s8_c(const int8_t *a, const int8_t *b, size_t n)
{
    int32_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += a[i] * b[i];
    return total;
}
