#include <stddef.h>
#include <stdint.h>

void copy_where_aligned_c(const int8_t *src, int8_t *dst, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dst[i] = src[i];
}
