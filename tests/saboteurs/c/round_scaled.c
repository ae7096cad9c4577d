#include <math.h>
#include <stddef.h>
#include <stdint.h>

void round_scaled_c(const int32_t *in, const float *scale, int32_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (int32_t)rintf((float)in[i] * *scale);
}
