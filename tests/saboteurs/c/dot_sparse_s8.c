#include <stddef.h>
#include <stdint.h>

void dot_sparse_s8_c(const int8_t *a, const int8_t *b, int32_t *out, size_t n)
{
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    out[0] = sum;
}
