/*toml
extends = "requantize_rows_1x16.inc"
summary = "output = (input + bias) * 2^shift * multiplier / 2^31, rounded once, ties upward, as in ruy; + zero point, clamped"
[args]
range = { range = [-128, 127] }
*/

// The output: (input + bias) times 2^shift * multiplier / 2^31, rounded, + zero point, held to [lowest, highest]; range
// holds these three, the other arrays an element for each column, filled up to a multiple of 4. A zero point of the
// input is the bias's business.
//
// The scheme is ruy's, (x * m + 2^(30-s)) >> (31-s), with one rounding; TFLite's with TFLITE_SINGLE_ROUNDING and TVM's
// UPWARD are the same. No 64-bit product is needed: sqdmulh cuts the product off to (x * m) >> 31, and what it cuts off
// cannot change a rounding shift to the right by at least 1, as ((p >> 31) + 2^(r-1)) >> r = (p + 2^(30+r)) >> (31+r)
// for r >= 1. So s = left - right with right >= 1. Where the shift to the left saturates, the result is at least 2^29
// from 0, and clamped either way.
//
// input + bias is safe: 2^30 + 2^29 < 2^31. What is scaled saturates nowhere but there.
//
// Cost of the hot loop, per 1 row x 16 columns = 16 elements: 1 load, 4 to add the bias, 12 to scale, 10 to narrow, add
// the zero point and clamp, 1 store, 2 for the loop = 30 instructions, 1.875 per element. The floor is 28: all but the
// loop's.

#include "requantize_rows_1x16.inc"

bias         .req x6
multipliers  .req x7
shifts       .req x8
t0           .req v4        // free
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

// x = (x + bias) * 2^(left - right) * multiplier / 2^31
.macro scale n
    each    \n, add, bias
    each    \n, sqshl, left
    each    \n, sqdmulh, multiplier
    each    \n, srshl, right
.endm

function requantize_s32s8_rows_1x16_ruy
    ldr     shifts, [sp, #0]
    ldr     range, [sp, #8]
    requantize_rows
    ret
end_function requantize_s32s8_rows_1x16_ruy
