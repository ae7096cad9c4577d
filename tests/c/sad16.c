/* The sum of absolute differences of two blocks 16 wide. */
#include <arm_neon.h>
#include <stddef.h>

uint32_t sad16(const uint8_t *a, ptrdiff_t a_stride, const uint8_t *b, ptrdiff_t b_stride, int rows)
{
    uint16x8_t sum = vdupq_n_u16(0);
    do {
        uint8x16_t x = vld1q_u8(a), y = vld1q_u8(b);
        sum = vabal_u8(sum, vget_low_u8(x), vget_low_u8(y));
        sum = vabal_u8(sum, vget_high_u8(x), vget_high_u8(y));
        a += a_stride;
        b += b_stride;
    } while (--rows);
    uint32x4_t wide = vpaddlq_u16(sum);
    uint64x2_t wider = vpaddlq_u32(wide);
    return (uint32_t)(vgetq_lane_u64(wider, 0) + vgetq_lane_u64(wider, 1));
}

uint32_t sad16_c(const uint8_t *a, ptrdiff_t a_stride, const uint8_t *b, ptrdiff_t b_stride, int rows)
{
    uint32_t sum = 0;
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < 16; i++) {
            int d = a[r * a_stride + i] - b[r * b_stride + i];
            sum += (uint32_t)(d < 0 ? -d : d);
        }
    return sum;
}
