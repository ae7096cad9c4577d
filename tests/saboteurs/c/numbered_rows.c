#include <stddef.h>
#include <stdint.h>

void numbered_rows_c(uint8_t *dst, size_t rows, size_t n)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < n; i++)
            dst[r * n + i] = (uint8_t)(rows - r);
}
