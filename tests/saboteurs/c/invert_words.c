#include <stddef.h>
#include <stdint.h>

void invert_words_c(const uint8_t *a, uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = ~a[i];
}
