#include <stddef.h>
#include <stdint.h>

void invert_blocks_c(const uint8_t *a, uint8_t *out, size_t blocks)
{
    for (size_t i = 0; i < 16 * blocks; i++)
        out[i] = ~a[i];
}
