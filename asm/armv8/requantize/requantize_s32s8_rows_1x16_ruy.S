/*toml
extends = "requantize_rows_1x16.inc"
summary = "output = (input + bias) * 2^shift * multiplier / 2^31, rounded once, ties upward, as in ruy; + zero point, clamped"
[args]
range = { range = [-128, 127] }
*/

// The scheme is in requantize_rows_1x16_ruy.inc.
//
// Cost of the hot loop, per 1 row x 16 columns = 16 elements: 1 load, 4 to add the bias, 12 to scale, 10 to narrow, add
// the zero point and clamp, 1 store, 2 for the loop = 30 instructions, 1.875 per element. The floor is 28: all but the
// loop's.

#define KERNEL requantize_s32s8_rows_1x16_ruy
#include "requantize_rows_1x16_ruy.inc"
