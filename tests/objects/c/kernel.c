/* NEON intrinsics, constants in pools, tables, statics, calls into another object. */
#include <arm_neon.h>
#include "shapes.h"

static const int8_t rotation[16] = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12, 13, -14, 15, -16};
const int8_t exported_table[64] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
int32_t shared_counter;
static int32_t hidden_state = 11;
static int64_t scratch[8];

int32_t dot_neon(const int8_t *a, const int8_t *b, size_t n) {
    int32x4_t sum = vdupq_n_s32(0);
    int8x16_t turn = vld1q_s8(rotation);
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        int8x16_t x = veorq_s8(vld1q_s8(a + i), turn), y = vld1q_s8(b + i);
        sum = vpadalq_s16(sum, vmull_s8(vget_low_s8(x), vget_low_s8(y)));
        sum = vpadalq_s16(sum, vmull_s8(vget_high_s8(x), vget_high_s8(y)));
    }
    int32_t total = vgetq_lane_s32(sum, 0) + vgetq_lane_s32(sum, 1) + vgetq_lane_s32(sum, 2) + vgetq_lane_s32(sum, 3);
    for (; i < n; i++) total += (a[i] ^ rotation[i % 16]) * b[i];
    shared_counter++;
    hidden_state = hidden_state * 33 + total;
    scratch[n % 8] += total;
    return total + (hidden_state & 15) + (int32_t)scratch[(n + 1) % 8];
}

void requantize(const int32_t *in, int8_t *out, size_t n, const struct params *p) {
    for (size_t i = 0; i < n; i++) {
        int64_t v = ((int64_t)in[i] * 1518500250LL + (1LL << 30)) >> 31;
        v = (v >> p->shift) + p->zero_point + p->bias[i % 4];
        out[i] = v < p->low ? p->low : v > p->high ? p->high : (int8_t)v;
    }
}

int32_t classify(int32_t kind, int32_t value) {
    switch (kind) {
    case 0: return value + 5;
    case 1: return operations[value & 3](value, 7);
    case 2: return value * 9;
    case 3: return value ^ 0x12345678;
    case 4: return twice_through_pointer(operations[1], value);
    case 5: return (int32_t)polynomial((double)value);
    case 6: return exported_table[value & 63];
    case 7: return (int32_t)wide(value, 0x123456789LL);
    case 8: return optional ? optional(value) : -8;
    case 9: return overridden(value);
    default: return -1;
    }
}

int32_t apply_row(const struct params *p, size_t row, size_t n) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += p->rows[row][i] * p->bias[i & 3];
    return sum + dot_neon(p->rows[row], p->rows[(row + 1) & 3], n);
}

static int8_t rows[4][40];
int32_t run_all(int32_t seed) {
    static const int32_t bias[4] = {1, -70000, 3, 0x00ff00ff};
    struct params p = {-128, 127, 3, bias, {rows[0], rows[1], rows[2], rows[3]}, -4, 0.37};
    uint32_t state = (uint32_t)seed;
    for (int i = 0; i < 160; i++) {
        state = state * 1664525u + 1013904223u;
        rows[i / 40][i % 40] = (int8_t)(state >> 24);
    }
    int32_t sum = 0;
    for (int kind = -1; kind < 11; kind++) sum = sum * 31 + classify(kind, (int32_t)(state >> 20) + kind);
    for (size_t row = 0; row < 4; row++) sum = sum * 31 + apply_row(&p, row, 40 - row);
    int32_t wide_sums[16];
    int8_t narrow[16];
    for (int i = 0; i < 16; i++) wide_sums[i] = sum * (i + 1);
    requantize(wide_sums, narrow, 16, &p);
    for (int i = 0; i < 16; i++) sum = sum * 31 + narrow[i];
    for (const char *c = name_of(seed & 3); *c; c++) sum = sum * 31 + *c;
    return sum + shared_counter;
}
