/*toml
extends = "requantize_rows_1x16.inc"
summary = "output = (input + bias) * 2^shift * multiplier / 2^31, rounded twice, ties upward, as TVM does on ARM; + zero point, clamped"
modular = ["sshl"]
[args]
range = { range = [-128, 127] }
*/

// The scheme is that of TVM's q_multiply_shift on ARM: a shift to the left, the high half of the doubled product,
// rounded (sqrdmulh), a rounding shift to the right (srshl), ties upward in both. The shift to the left wraps, as TVM's
// does, and as x times a scale above 1 deserves that is no int32.
//
// Cost of the hot loop, per 1 row x 16 columns = 16 elements: 1 load, 4 to add the bias, 12 to scale, 10 to narrow, add
// the zero point and clamp, 1 store, 2 for the loop = 30 instructions, 1.875 per element. The floor is 28: all but the
// loop's.

#define KERNEL requantize_s32s8_rows_1x16_tvm
#define LEAST_RIGHT 0

// x = (x + bias) * 2^(left - right) * multiplier / 2^31
.macro scale n
    each    \n, add, bias
    each    \n, sshl, left
    each    \n, sqrdmulh, multiplier
    each    \n, srshl, right
.endm

#include "requantize_rows_1x16_fixed_point.inc"
