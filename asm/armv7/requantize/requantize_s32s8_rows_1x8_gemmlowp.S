/*toml
extends = "requantize_rows_1x8.inc"
summary = "output = (input + bias) * 2^shift * multiplier / 2^31, rounded twice, as in gemmlowp and TFLite; + zero point, clamped"
[args]
range = { range = [-128, 127] }
*/

// The scheme is gemmlowp's and TFLite's default: a saturating shift to the left, the high half of the doubled product,
// rounded, ties upward (vqrdmulh), a division by 2^right, rounded, ties away from zero. vrshl rounds ties upward: a
// negative number is lowered by 1 first, which moves ties alone. With multipliers of 24 bits it is QNNPACK's q31 too.
// Lowering is safe: a product with m < 2^31 is above -2^31.
//
// Cost of the hot loop, per 1 row x 8 columns = 8 elements: 1 load, 2 to add the bias, 10 to scale, 6 to narrow, add
// the zero point and clamp, 1 store, 2 for the loop = 22 instructions, 2.750 per element. The floor is 20: all but the
// loop's.

#define KERNEL requantize_s32s8_rows_1x8_gemmlowp
#define LEAST_RIGHT 0

// x = (x + bias) * 2^(left - right) * multiplier / 2^31; x & right is negative where x is and there is a shift to the
// right: x - 1 there
.macro scale n
    each    \n, vadd.i32, q0, q1, q8, q9
    each    \n, vqshl.s32, q0, q1, q12, q13
    each    \n, vqrdmulh.s32, q0, q1, q10, q11
    vand    q2, q0, q14
  .if \n == 8
    vand    q3, q1, q15
  .endif
    vsra.s32 q0, q2, #31
  .if \n == 8
    vsra.s32 q1, q3, #31
  .endif
    each    \n, vrshl.s32, q0, q1, q14, q15
.endm

#include "requantize_rows_1x8_fixed_point.inc"
