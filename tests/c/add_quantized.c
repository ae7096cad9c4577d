/* out = clamp((a - a_zero) * a_scale + (b - b_zero) * b_scale, rounded) + zero: XNNPACK's idea of an addition. */
#include <arm_neon.h>
#include <stddef.h>

typedef struct {
    int32_t bias; /* what the zero points come to */
    int32_t a_multiplier, b_multiplier;
    uint32_t shift;
    struct {
        int16_t zero_point;
        uint8_t low, high;
    } output;
} add_params;

void add_quantized(size_t n, const uint8_t *a, const uint8_t *b, uint8_t *out, const add_params *params)
{
    const int32x4_t shift = vdupq_n_s32(-(int32_t)params->shift);
    for (size_t i = 0; i < n; i += 8) {
        uint16x8_t x = vmovl_u8(vld1_u8(a + i)), y = vmovl_u8(vld1_u8(b + i));
        int32x4_t low = vdupq_n_s32(params->bias), high = low;
        low = vmlaq_n_s32(low, vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(x))), params->a_multiplier);
        high = vmlaq_n_s32(high, vreinterpretq_s32_u32(vmovl_u16(vget_high_u16(x))), params->a_multiplier);
        low = vmlaq_n_s32(low, vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(y))), params->b_multiplier);
        high = vmlaq_n_s32(high, vreinterpretq_s32_u32(vmovl_u16(vget_high_u16(y))), params->b_multiplier);
        int16x8_t sum = vcombine_s16(vqmovn_s32(vrshlq_s32(low, shift)), vqmovn_s32(vrshlq_s32(high, shift)));
        uint8x8_t byte = vqmovun_s16(vqaddq_s16(sum, vdupq_n_s16(params->output.zero_point)));
        byte = vmax_u8(byte, vdup_n_u8(params->output.low));
        vst1_u8(out + i, vmin_u8(byte, vdup_n_u8(params->output.high)));
    }
}

void add_quantized_c(size_t n, const uint8_t *a, const uint8_t *b, uint8_t *out, const add_params *params)
{
    for (size_t i = 0; i < n; i++) {
        int64_t sum = params->bias + a[i] * params->a_multiplier + b[i] * params->b_multiplier;
        sum = (sum + (1LL << (params->shift - 1))) >> params->shift;
        sum = sum < -32768 ? -32768 : sum > 32767 ? 32767 : sum;
        sum += params->output.zero_point;
        sum = sum < 0 ? 0 : sum > 255 ? 255 : sum;
        sum = sum < params->output.low ? params->output.low : sum;
        out[i] = (uint8_t)(sum > params->output.high ? params->output.high : sum);
    }
}
