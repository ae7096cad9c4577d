/* A transposed tile of 8 by 8 bytes. */
#include <arm_neon.h>

void transpose8(const uint8_t in[64], uint8_t out[64])
{
    uint8x8_t r[8];
    for (int i = 0; i < 8; i++)
        r[i] = vld1_u8(in + 8 * i);
    for (int i = 0; i < 8; i += 2) {
        uint8x8x2_t t = vtrn_u8(r[i], r[i + 1]);
        r[i] = t.val[0];
        r[i + 1] = t.val[1];
    }
    for (int i = 0; i < 8; i += i % 2 ? 3 : 1) {
        uint16x4x2_t t = vtrn_u16(vreinterpret_u16_u8(r[i]), vreinterpret_u16_u8(r[i + 2]));
        r[i] = vreinterpret_u8_u16(t.val[0]);
        r[i + 2] = vreinterpret_u8_u16(t.val[1]);
    }
    for (int i = 0; i < 4; i++) {
        uint32x2x2_t t = vtrn_u32(vreinterpret_u32_u8(r[i]), vreinterpret_u32_u8(r[i + 4]));
        vst1_u8(out + 8 * i, vreinterpret_u8_u32(t.val[0]));
        vst1_u8(out + 8 * (i + 4), vreinterpret_u8_u32(t.val[1]));
    }
}

void transpose8_c(const uint8_t in[64], uint8_t out[64])
{
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            out[8 * i + j] = in[8 * j + i];
}
