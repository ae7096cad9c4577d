/*toml
extends = "requantize_rows_1x16.inc"
summary = "output = (input + bias) * 2^shift * multiplier / 2^31, rounded once, ties away from zero, as QNNPACK's precise and TVM's TONEAREST; + zero point, clamped"
stack   = 32
[args]
range = { range = [-128, 127] }
*/

// The output: (input + bias) times 2^shift * multiplier / 2^31, rounded, + zero point, held to [lowest, highest]; range
// holds these three, the other arrays an element for each column, filled up to a multiple of 4. A zero point of the
// input is the bias's business.
//
// The scheme is TVM's TONEAREST; with multipliers of 24 bits, a float32's times 2^7, it is QNNPACK's precise. For x >=
// 0 it is that of requantize_s32s8_rows_1x16_ruy, with sqdmulh and a rounding shift to the right by at least 1. For x <
// 0 ties go down: with p = |x| * m, ~(p >> 31) = (-p - 1) >> 31, a little less than -p / 2^31 and no integer times
// 2^right away, so that srshl rounds a tie down and nothing else otherwise.
//
// input + bias is safe: 2^30 + 2^29 < 2^31. |x| is therefore an int32. Where the shift to the left saturates, the
// result is clamped either way.
//
// Cost of the hot loop, per 1 row x 16 columns = 16 elements: 1 load, 4 to add the bias, 24 to scale, 10 to narrow, add
// the zero point and clamp, 1 store, 2 for the loop = 42 instructions, 2.625 per element. The floor is 40: all but the
// loop's.

#include "requantize_rows_1x16.inc"

bias         .req x6
multipliers  .req x7
shifts       .req x8
t0           .req v8        // free while sums are scaled
t1           .req v9
t2           .req v10
t3           .req v11
bias0        .req v16       // of the 16 columns
bias1        .req v17
bias2        .req v18
bias3        .req v19
multiplier0  .req v20       // of the 16 columns
multiplier1  .req v21
multiplier2  .req v22
multiplier3  .req v23
left0        .req v24       // shifts to the left
left1        .req v25
left2        .req v26
left3        .req v27
right0       .req v28       // shifts to the right, as numbers below 0
right1       .req v29
right2       .req v30
right3       .req v31

.macro load_columns n
    load_each \n, bias, bias
    load_each \n, multiplier, multipliers
    load_each \n, left, shifts
    split_shifts \n, -1
.endm

// t = -1 where x < 0, else 0; x = |x|
.macro take_sign i
    cmlt    t\i\().4s, v\i\().4s, #0
    abs     v\i\().4s, v\i\().4s
.endm

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

function requantize_s32s8_rows_1x16_precise
    stp     d8, d9, [sp, #-32]!
    stp     d10, d11, [sp, #16]
    ldr     shifts, [sp, #32]
    ldr     range, [sp, #40]
    requantize_rows
    ldp     d10, d11, [sp, #16]
    ldp     d8, d9, [sp], #32
    ret
end_function requantize_s32s8_rows_1x16_precise
