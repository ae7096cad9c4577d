/* The index of the first of the largest. */
#include <arm_neon.h>
#include <stddef.h>

size_t argmax(const int8_t *x, size_t n)
{
    int8x16_t most = vdupq_n_s8(-128);
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        most = vmaxq_s8(most, vld1q_s8(x + i));
    int8x8_t m = vmax_s8(vget_low_s8(most), vget_high_s8(most));
    m = vpmax_s8(m, m);
    m = vpmax_s8(m, m);
    m = vpmax_s8(m, m);
    int8_t largest = vget_lane_s8(m, 0);
    for (; i < n; i++)
        largest = x[i] > largest ? x[i] : largest;
    for (i = 0; x[i] != largest; i++)
        ;
    return i;
}

size_t argmax_c(const int8_t *x, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (x[i] > x[best])
            best = i;
    return best;
}
