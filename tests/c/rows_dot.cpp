// Each row of a times one vector: a class template in a namespace, and an overload beside it.
#include <arm_neon.h>
#include <cstddef>
#include <cstdint>

namespace lab {

template <int Bytes>
class Accumulator {
public:
    void add(const int8_t *a, const int8_t *b)
    {
        for (int i = 0; i < Bytes; i += 8)
            sums_ = vpadalq_s16(sums_, vmull_s8(vld1_s8(a + i), vld1_s8(b + i)));
    }

    int32_t total() const
    {
        int32x2_t pair = vadd_s32(vget_low_s32(sums_), vget_high_s32(sums_));
        return vget_lane_s32(vpadd_s32(pair, pair), 0);
    }

private:
    int32x4_t sums_ = vdupq_n_s32(0);
};

void rows_dot(const int8_t *a, const int8_t *b, int32_t *c, size_t rows)
{
    for (size_t row = 0; row < rows; row++) {
        Accumulator<32> sum;
        sum.add(a + 32 * row, b);
        c[row] = sum.total();
    }
}

void scaled(const int8_t *a, int8_t factor, int16_t *c)
{
    vst1q_s16(c, vmull_s8(vld1_s8(a), vdup_n_s8(factor)));
}

void scaled(const int16_t *a, int16_t factor, int32_t *c)
{
    vst1q_s32(c, vmull_s16(vld1_s16(a), vdup_n_s16(factor)));
}

void rows_dot_c(const int8_t *a, const int8_t *b, int32_t *c, size_t rows)
{
    for (size_t row = 0; row < rows; row++) {
        c[row] = 0;
        for (int i = 0; i < 32; i++)
            c[row] += a[32 * row + i] * b[i];
    }
}

} // namespace lab
