/* Softmax of int8 logits to uint8: e^(scale * (x - most)) over their sum, times 256. */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

void softmax(size_t n, const int8_t *in, uint8_t *out, float scale)
{
    assert(n > 0);
    float *terms = malloc(n * sizeof *terms);
    int8_t most = in[0];
    for (size_t i = 1; i < n; i++)
        most = in[i] > most ? in[i] : most;
    float sum = 0;
    for (size_t i = 0; i < n; i++) {
        terms[i] = expf(scale * (float)(in[i] - most));
        sum += terms[i];
    }
    for (size_t i = 0; i < n; i++) {
        float share = floorf(terms[i] * 256.0f / sum + 0.5f);
        out[i] = (uint8_t)(share > 255.0f ? 255.0f : share);
    }
    free(terms);
}
