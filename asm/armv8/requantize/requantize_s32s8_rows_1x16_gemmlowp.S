/*toml
extends = "requantize_rows_1x16.inc"
summary = "output = (input + bias) * 2^shift * multiplier / 2^31, rounded twice, as in gemmlowp and TFLite; + zero point, clamped"
stack   = 32
[args]
range = { range = [-128, 127] }
*/

// The output: (input + bias) times 2^shift * multiplier / 2^31, rounded, + zero point, held to [lowest, highest]; range
// holds these three, the other arrays an element for each column, filled up to a multiple of 4. A zero point of the
// input is the bias's business.
//
// The scheme is gemmlowp's and TFLite's default: a saturating shift to the left, the high half of the doubled product,
// rounded, ties upward (sqrdmulh), a division by 2^right, rounded, ties away from zero. srshl rounds ties upward: a
// negative number is lowered by 1 first, which moves ties alone. With multipliers of 24 bits it is QNNPACK's q31 too.
//
// input + bias is safe: 2^30 + 2^29 < 2^31. Lowering is too: a product with m < 2^31 is above -2^31.
//
// Cost of the hot loop, per 1 row x 16 columns = 16 elements: 1 load, 4 to add the bias, 20 to scale, 10 to narrow, add
// the zero point and clamp, 1 store, 2 for the loop = 38 instructions, 2.375 per element. The floor is 36: all but the
// loop's.

#include "../include/gemmlowp_step.inc"
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
    split_shifts \n, 0
.endm

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

function requantize_s32s8_rows_1x16_gemmlowp
    stp     d8, d9, [sp, #-32]!
    stp     d10, d11, [sp, #16]
    ldr     shifts, [sp, #32]
    ldr     range, [sp, #40]
    requantize_rows
    ldp     d10, d11, [sp, #16]
    ldp     d8, d9, [sp], #32
    ret
end_function requantize_s32s8_rows_1x16_gemmlowp
