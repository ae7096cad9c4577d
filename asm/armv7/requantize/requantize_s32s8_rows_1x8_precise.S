/*toml
extends = "requantize_rows_1x8.inc"
summary = "output = (input + bias) * 2^shift * multiplier / 2^31, rounded once, ties away from zero, as QNNPACK's precise and TVM's TONEAREST; + zero point, clamped"
[args]
range = { range = [-128, 127] }
*/

// The scheme is TVM's TONEAREST; with multipliers of 24 bits, a float32's times 2^7, it is QNNPACK's precise. For x >=
// 0 it is that of requantize_s32s8_rows_1x8_ruy, with vqdmulh and a rounding shift to the right by at least 1. For x <
// 0 ties go down: with p = |x| * m, ~(p >> 31) = (-p - 1) >> 31, a little less than -p / 2^31 and no integer times
// 2^right away, so that vrshl rounds a tie down and nothing else otherwise.
//
// |x| is an int32, as input + bias is above -2^31. Where the shift to the left saturates, the result is clamped either
// way.
//
// Cost of the hot loop, per 1 row x 8 columns = 8 elements: 1 load, 2 to add the bias, 12 to scale, 6 to narrow, add
// the zero point and clamp, 1 store, 2 for the loop = 24 instructions, 3.000 per element. The floor is 22: all but the
// loop's.

#define KERNEL requantize_s32s8_rows_1x8_precise
#define LEAST_RIGHT 1

// x = (x + bias) * 2^(left - right) * multiplier / 2^31
.macro scale n
    each    \n, vadd.i32, q0, q1, q8, q9
    vshr.s32 q2, q0, #31                            // -1 where x < 0
  .if \n == 8
    vshr.s32 q3, q1, #31
  .endif
    each_alone \n, vabs.s32, q0, q1
    each    \n, vqshl.s32, q0, q1, q12, q13
    each    \n, vqdmulh.s32, q0, q1, q10, q11
    each    \n, veor, q0, q1, q2, q3
    each    \n, vrshl.s32, q0, q1, q14, q15
.endm

#include "requantize_rows_1x8_fixed_point.inc"
