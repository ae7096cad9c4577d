#include <stddef.h>
#include <stdint.h>

void shifted_down_c(uint8_t *a, size_t n)
{
    for (size_t i = 0; i + 8 < n; i++)
        a[i] = a[i + 8];
}
