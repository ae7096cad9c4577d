#include <stddef.h>
#include <stdint.h>

void flip_rows_copied_c(uint8_t *dst, const uint8_t *src, size_t rows, size_t n)
{
    for (size_t i = 0; i < rows * n; i++)
        dst[i] = src[i] ^ 0x80;
}
