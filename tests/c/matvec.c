/* y = bias + M x, M of int8 with `stride` bytes from row to row, 4 rows at a time. */
#include <arm_neon.h>
#include <stddef.h>

static inline int32_t across(int32x4_t v)
{
    int32x2_t half = vadd_s32(vget_low_s32(v), vget_high_s32(v));
    return vget_lane_s32(vpadd_s32(half, half), 0);
}

void matvec(size_t rows, size_t columns, const int8_t *m, size_t stride, const int8_t *x, const int32_t *bias, int32_t *y)
{
    for (size_t r = 0; r < rows; r += 4) {
        int32x4_t sum[4];
        for (int i = 0; i < 4; i++)
            sum[i] = vdupq_n_s32(0);
        for (size_t k = 0; k < columns; k += 8) {
            int8x8_t v = vld1_s8(x + k);
            for (int i = 0; i < 4; i++)
                sum[i] = vpadalq_s16(sum[i], vmull_s8(vld1_s8(m + (r + (size_t)i) * stride + k), v));
        }
        for (int i = 0; i < 4; i++)
            y[r + (size_t)i] = bias[r + (size_t)i] + across(sum[i]);
    }
}

void matvec_c(size_t rows, size_t columns, const int8_t *m, size_t stride, const int8_t *x, const int32_t *bias,
              int32_t *y)
{
    for (size_t r = 0; r < rows; r++) {
        y[r] = bias[r];
        for (size_t k = 0; k < columns; k++)
            y[r] += m[r * stride + k] * x[k];
    }
}
