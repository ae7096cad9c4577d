#include <stddef.h>
#include <stdint.h>

int32_t sum_within_a_page_c(const int8_t *src, size_t n)
{
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += src[i];
    return sum;
}
