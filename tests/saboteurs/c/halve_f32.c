#include <stddef.h>
#include <stdint.h>

void halve_f32_c(const float *in, float *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = in[i] * 0.5f;
}
