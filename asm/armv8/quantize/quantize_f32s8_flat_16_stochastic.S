/*toml
extends   = "quantize_f32s8_flat_16.inc"
summary   = "output = input * inverse + dither, rounded down: rounded up as likely as its fraction is large, as Ristretto; + zero point, clamped"
prototype = "void (const float *input, int8_t *output, size_t count, const float *inverse, const int16_t *range, const float *dither)"
[args]
dither = { reg = "x5", read = "4*count", layout = "flat", dtype = "float32", range = [5.9604645e-8, 1.0] }
*/

// The output: input * inverse + dither, rounded down, + zero point, held to [lowest, highest]; inverse is 1 / scale, range
// holds the other three.
//
// float32, one product and one sum, which round; fcvtms rounds it down, as Ristretto's __float2int_rd. Who draws dither
// uniformly from the multiples of 2^-24 in (0, 1], as curand does, rounds without bias. It is not 0, so that a product
// too small for a normal number makes no difference.
//
// Cost of the hot loop, per 16 elements: 2 loads, 4 to scale, 4 to add, 4 to round, 10 to narrow, add the zero point
// and clamp, 1 store, 2 for the loop = 27 instructions, 1.688 per element. The floor is 25: all but the loop's.

#define KERNEL quantize_f32s8_flat_16_stochastic
#define DITHER x5

.macro round x
    fcvtms  \x, \x
.endm

#include "quantize_f32s8_flat_16.inc"
