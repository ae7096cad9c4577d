/* The largest of `taps` rows, element by element, within [low, high]. */
#include <arm_neon.h>
#include <stddef.h>

struct limits {
    int8_t low, high;
};

void maxpool(size_t n, size_t taps, const int8_t *const *rows, int8_t *out, const struct limits *limits)
{
    const int8x16_t low = vdupq_n_s8(limits->low), high = vdupq_n_s8(limits->high);
    for (size_t i = 0; i < n; i += 16) {
        int8x16_t most = vld1q_s8(rows[0] + i);
        for (size_t t = 1; t < taps; t++)
            most = vmaxq_s8(most, vld1q_s8(rows[t] + i));
        most = vmaxq_s8(vminq_s8(most, high), low);
        size_t left = n - i;
        if (left >= 16) {
            vst1q_s8(out + i, most);
        } else {
            int8_t last[16];
            vst1q_s8(last, most);
            for (size_t j = 0; j < left; j++)
                out[i + j] = last[j];
        }
    }
}

void maxpool_c(size_t n, size_t taps, const int8_t *const *rows, int8_t *out, const struct limits *limits)
{
    for (size_t i = 0; i < n; i++) {
        int8_t most = rows[0][i];
        for (size_t t = 1; t < taps; t++)
            most = rows[t][i] > most ? rows[t][i] : most;
        most = most > limits->high ? limits->high : most;
        out[i] = most < limits->low ? limits->low : most;
    }
}
