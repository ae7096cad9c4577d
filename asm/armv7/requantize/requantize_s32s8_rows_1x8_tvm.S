/*toml
extends = "requantize_rows_1x8.inc"
summary = "output = (input + bias) * 2^shift * multiplier / 2^31, rounded twice, ties upward, as TVM does on ARM; + zero point, clamped"
modular = ["vshl"]
[args]
range = { range = [-128, 127] }
*/

// The scheme is that of TVM's q_multiply_shift on ARM: a shift to the left, the high half of the doubled product,
// rounded (vqrdmulh), a rounding shift to the right (vrshl), ties upward in both. The shift to the left wraps, as TVM's
// does.
//
// Cost of the hot loop, per 1 row x 8 columns = 8 elements: 1 load, 2 to add the bias, 6 to scale, 6 to narrow, add the
// zero point and clamp, 1 store, 2 for the loop = 18 instructions, 2.250 per element. The floor is 16: all but the
// loop's.

#define KERNEL requantize_s32s8_rows_1x8_tvm
#define LEAST_RIGHT 0

// x = (x + bias) * 2^(left - right) * multiplier / 2^31
.macro scale n
    each    \n, vadd.i32, q0, q1, q8, q9
    each    \n, vshl.s32, q0, q1, q12, q13
    each    \n, vqrdmulh.s32, q0, q1, q10, q11
    each    \n, vrshl.s32, q0, q1, q14, q15
.endm

#include "requantize_rows_1x8_fixed_point.inc"
