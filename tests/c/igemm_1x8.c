/* One row of an indirect matrix product: sums over kernel positions and channels, 8 outputs at a time.  A pointer that
   is not `zero` is taken a_offset further.  Weights: 8 int32 of bias, then 8 int8 for each product. */
#include <arm_neon.h>
#include <stddef.h>
#include <string.h>

void igemm_1x8(size_t nc, size_t kc, size_t ks, const int8_t *const *a, const void *weights, int32_t *c,
               size_t a_offset, const int8_t *zero)
{
    const int8_t *w = weights;
    do {
        int32x4_t low, high;
        memcpy(&low, w, 16);
        memcpy(&high, w + 16, 16);
        w += 32;
        for (size_t p = 0; p < ks; p++) {
            const int8_t *row = a[p];
            if (row != zero)
                row += a_offset;
            for (size_t k = 0; k < kc; k++) {
                int16x8_t b = vmovl_s8(vld1_s8(w));
                int16x4_t x = vdup_n_s16(row[k]);
                low = vmlal_s16(low, vget_low_s16(b), x);
                high = vmlal_s16(high, vget_high_s16(b), x);
                w += 8;
            }
        }
        if (nc >= 8) {
            vst1q_s32(c, low);
            vst1q_s32(c + 4, high);
            c += 8;
            nc -= 8;
        } else {
            int32_t last[8];
            vst1q_s32(last, low);
            vst1q_s32(last + 4, high);
            memcpy(c, last, nc * sizeof *c);
            nc = 0;
        }
    } while (nc);
}

void igemm_1x8_c(size_t nc, size_t kc, size_t ks, const int8_t *const *a, const void *weights, int32_t *c,
                 size_t a_offset, const int8_t *zero)
{
    const size_t block = 32 + 8 * kc * ks;
    for (size_t n = 0; n < nc; n++) {
        const int8_t *start = (const int8_t *)weights + n / 8 * block;
        int32_t sum;
        memcpy(&sum, start + 4 * (n % 8), 4);
        for (size_t p = 0; p < ks; p++)
            for (size_t k = 0; k < kc; k++)
                sum += (a[p] == zero ? a[p] : a[p] + a_offset)[k] * start[32 + 8 * (p * kc + k) + n % 8];
        c[n] = sum;
    }
}
