/* out[i] = table[in[i]]: a function of one byte. */
#include <arm_neon.h>
#include <stddef.h>

void lut(size_t n, const uint8_t *in, uint8_t *out, const uint8_t table[256])
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint8x8_t x = vld1_u8(in + i);
        uint8x8_t found = vdup_n_u8(0);
        for (size_t part = 0; part < 256; part += 32) {
            uint8x8x4_t piece;
            piece.val[0] = vld1_u8(table + part);
            piece.val[1] = vld1_u8(table + part + 8);
            piece.val[2] = vld1_u8(table + part + 16);
            piece.val[3] = vld1_u8(table + part + 24);
            found = vtbx4_u8(found, piece, vsub_u8(x, vdup_n_u8((uint8_t)part)));
        }
        vst1_u8(out + i, found);
    }
    for (; i < n; i++)
        out[i] = table[in[i]];
}

void lut_c(size_t n, const uint8_t *in, uint8_t *out, const uint8_t table[256])
{
    for (size_t i = 0; i < n; i++)
        out[i] = table[in[i]];
}
