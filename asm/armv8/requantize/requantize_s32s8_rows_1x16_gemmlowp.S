/*toml
extends = "requantize_rows_1x16.inc"
summary = "output = (input + bias) * 2^shift * multiplier / 2^31, rounded twice, as in gemmlowp and TFLite; + zero point, clamped"
stack   = 32
[args]
range = { range = [-128, 127] }
*/

// The scheme is gemmlowp's and TFLite's default: a saturating shift to the left, the high half of the doubled product,
// rounded, ties upward (sqrdmulh), a division by 2^right, rounded, ties away from zero. srshl rounds ties upward: a
// negative number is lowered by 1 first, which moves ties alone. With multipliers of 24 bits it is QNNPACK's q31 too.
// Lowering is safe: a product with m < 2^31 is above -2^31.
//
// Cost of the hot loop, per 1 row x 16 columns = 16 elements: 1 load, 4 to add the bias, 20 to scale, 10 to narrow, add
// the zero point and clamp, 1 store, 2 for the loop = 38 instructions, 2.375 per element. The floor is 36: all but the
// loop's.

#define KERNEL requantize_s32s8_rows_1x16_gemmlowp
#define LEAST_RIGHT 0
#define SCRATCH
#include "../include/gemmlowp_step.inc"

// x = (x + bias) * 2^(left - right) * multiplier / 2^31
.macro scale n
    each    \n, add, bias
    each    \n, sqshl, left
    each    \n, sqrdmulh, multiplier
    lower_negative v0, right0, t0
  .if \n == 16
    lower_negative v1, right1, t1
    lower_negative v2, right2, t2
    lower_negative v3, right3, t3
  .endif
    each    \n, srshl, right
.endm

#include "requantize_rows_1x16_fixed_point.inc"
