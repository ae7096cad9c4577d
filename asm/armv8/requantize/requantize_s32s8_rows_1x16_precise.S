/*toml
extends = "requantize_rows_1x16.inc"
summary = "output = (input + bias) * 2^shift * multiplier / 2^31, rounded once, ties away from zero, as QNNPACK's precise and TVM's TONEAREST; + zero point, clamped"
stack   = 32
[args]
range = { range = [-128, 127] }
*/

// The scheme is TVM's TONEAREST; with multipliers of 24 bits, a float32's times 2^7, it is QNNPACK's precise. For x >=
// 0 it is that of requantize_s32s8_rows_1x16_ruy, with sqdmulh and a rounding shift to the right by at least 1. For x <
// 0 ties go down: with p = |x| * m, ~(p >> 31) = (-p - 1) >> 31, a little less than -p / 2^31 and no integer times
// 2^right away, so that srshl rounds a tie down and nothing else otherwise.
//
// |x| is an int32, as input + bias is above -2^31. Where the shift to the left saturates, the result is clamped either
// way.
//
// Cost of the hot loop, per 1 row x 16 columns = 16 elements: 1 load, 4 to add the bias, 24 to scale, 10 to narrow, add
// the zero point and clamp, 1 store, 2 for the loop = 42 instructions, 2.625 per element. The floor is 40: all but the
// loop's.

#define KERNEL requantize_s32s8_rows_1x16_precise
#define LEAST_RIGHT 1
#define SCRATCH

// t = -1 where x < 0, else 0; x = |x|
.macro take_sign i
    cmlt    t\i\().4s, v\i\().4s, #0
    abs     v\i\().4s, v\i\().4s
.endm

// x = ~x where it was negative
.macro give_sign i
    eor     v\i\().16b, v\i\().16b, t\i\().16b
.endm

// x = (x + bias) * 2^(left - right) * multiplier / 2^31
.macro scale n
    each    \n, add, bias
    take_sign 0
  .if \n == 16
    take_sign 1
    take_sign 2
    take_sign 3
  .endif
    each    \n, sqshl, left
    each    \n, sqdmulh, multiplier
    give_sign 0
  .if \n == 16
    give_sign 1
    give_sign 2
    give_sign 3
  .endif
    each    \n, srshl, right
.endm

#include "requantize_rows_1x16_fixed_point.inc"
