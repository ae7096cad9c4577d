#include <stddef.h>
#include <stdint.h>

void flip_in_place_c(const uint8_t *input, uint8_t *output, size_t n)
{
    for (size_t i = 0; i < n; i++)
        output[i] = input[i] ^ 0x80;
}
