/*toml
extends   = "requantize_rows_1x16.inc"
summary   = "output = (input + bias) * 2^shift * multiplier / 2^31, rounded once, ties upward, as in ruy; + zero point, clamped to int16"
prototype = "void (const int32_t *input, int16_t *output, size_t rows, size_t cols, ptrdiff_t input_pitch, ptrdiff_t output_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
[args]
output       = { write = { bytes = "2*cols" }, dtype = "int16" }
output_pitch = { range = [-2097152, 2097152], step = 2 }
*/

// The scheme is in requantize_rows_1x16_ruy.inc. For sums of int8 x int16, whose output has 16 bits as ruy's has:
// matmul_s8s16s32_packed_8x12_bylane makes them.
//
// Cost of the hot loop, per 1 row x 16 columns = 16 elements: 1 load, 4 to add the bias, 12 to scale, 12 to add the
// zero point, narrow and clamp, 1 store, 2 for the loop = 32 instructions, 2.000 per element. The floor is 30: all but
// the loop's.

#define KERNEL requantize_s32s16_rows_1x16_ruy
#define TO_INT16
#include "requantize_rows_1x16_ruy.inc"
