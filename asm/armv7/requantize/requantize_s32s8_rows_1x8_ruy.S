/*toml
extends = "requantize_rows_1x8.inc"
summary = "output = (input + bias) * 2^shift * multiplier / 2^31, rounded once, ties upward, as in ruy; + zero point, clamped"
[args]
range = { range = [-128, 127] }
*/

// The scheme is in requantize_rows_1x8_ruy.inc.
//
// Cost of the hot loop, per 1 row x 8 columns = 8 elements: 1 load, 2 to add the bias, 6 to scale, 6 to narrow, add the
// zero point and clamp, 1 store, 2 for the loop = 18 instructions, 2.250 per element. The floor is 16: all but the
// loop's.

#define KERNEL requantize_s32s8_rows_1x8_ruy
#include "requantize_rows_1x8_ruy.inc"
