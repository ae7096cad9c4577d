#include <stddef.h>
#include <stdint.h>

uint32_t argmax_s8_c(const int8_t *src, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (src[i] > src[best])
            best = i;
    return (uint32_t)best;
}
