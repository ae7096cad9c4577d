/*toml
summary   = "output = (input + bias) * 2^shift * multiplier / 2^31, rounded twice, ties upward, as TVM does on ARM; + zero point, clamped"
prototype = "void (const int32_t *input, int8_t *output, size_t rows, size_t cols, ptrdiff_t input_pitch, ptrdiff_t output_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv7-a", "neon"]
stack     = 64
modular   = ["vshl"]
[args]
input        = { reg = "r0", read = { rows = "rows", bytes = "4*cols", pitch = "input_pitch" }, layout = "rows", dtype = "int32", range = [-1073741824, 1073741824] }
output       = { reg = "r1", write = { rows = "rows", bytes = "cols", pitch = "output_pitch" }, layout = "rows", dtype = "int8" }
rows         = { reg = "r2", range = [1, 1048576] }
cols         = { reg = "r3", range = [1, 1048576] }
input_pitch  = { reg = "stack+0", range = [-4194304, 4194304], step = 4 }
output_pitch = { reg = "stack+4", range = [-1048576, 1048576] }
bias         = { reg = "stack+8", read = "4*4*((cols+3)//4)", dtype = "int32", range = [-536870912, 536870912] }
multipliers  = { reg = "stack+12", read = "4*4*((cols+3)//4)", dtype = "int32", range = [1073741824, 2147483647] }
shifts       = { reg = "stack+16", read = "4*4*((cols+3)//4)", dtype = "int32", range = [-31, 7] }
range        = { reg = "stack+20", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
*/

// The output: (input + bias) times 2^shift * multiplier / 2^31, rounded, + zero point, held to [lowest, highest]; range
// holds these three, the other arrays an element for each column, filled up to a multiple of 4. A zero point of the
// input is the bias's business.
//
// The scheme is that of TVM's q_multiply_shift on ARM: a shift to the left, the high half of the doubled product,
// rounded (vqrdmulh), a rounding shift to the right (vrshl), ties upward in both. The shift to the left wraps, as TVM's
// does.
//
// input + bias is safe: 2^30 + 2^29 < 2^31.
//
// The loops:
//
//     for each 8 columns                then for 4, then the last 1-3
//         for each row
//             output[row][8] = input[row][8], scaled
//
// Registers: q0, q1 the sums, q2, q3 free while they are scaled, q4 and q5 the output's range; of the 8 columns q8, q9
// the bias, q10, q11 the multipliers, q12, q13 the shifts to the left, q14, q15 those to the right, as numbers below 0.
//
// Cost of the hot loop, per 1 row x 8 columns = 8 elements: 1 load, 2 to add the bias, 6 to scale, 6 to narrow, add the
// zero point and clamp, 1 store, 2 for the loop = 18 instructions, 2.250 per element. The floor is 16: all but the
// loop's.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

input        .req r0        // first row of the next columns
output       .req r1
rows         .req r2
cols         .req r3        // left, counts down
input_pitch  .req r4        // bytes from one row to the next
output_pitch .req r5
bias         .req r6
multipliers  .req r7
shifts       .req r8
in           .req r9        // walks down the rows
range        .req r10
out          .req r10
count        .req r11       // rows left, counts down
at           .req r12

#include "../include/function.inc"
#include "../include/narrow.inc"
#include "requantize_rows.inc"

// what of the shifts is below 0 goes to the right, for vrshl; what remains goes to the left
.macro load_columns n
    load_each \n, bias, d16, d17, d18, d19
    load_each \n, multipliers, d20, d21, d22, d23
    load_each \n, shifts, d24, d25, d26, d27
    vmov.i32 q2, #0
    vmin.s32 q14, q12, q2
    vsub.i32 q12, q12, q14
  .if \n == 8
    vmin.s32 q15, q13, q2
    vsub.i32 q13, q13, q15
  .endif
.endm

// x = (x + bias) * 2^(left - right) * multiplier / 2^31
.macro scale n
    each    \n, vadd.i32, q0, q1, q8, q9
    each    \n, vshl.s32, q0, q1, q12, q13
    each    \n, vqrdmulh.s32, q0, q1, q10, q11
    each    \n, vrshl.s32, q0, q1, q14, q15
.endm

function requantize_s32s8_rows_1x8_tvm
    push    {r4-r11}
    vpush   {d8-d11}
    ldr     input_pitch, [sp, #64]
    ldr     output_pitch, [sp, #68]
    ldr     bias, [sp, #72]
    ldr     multipliers, [sp, #76]
    ldr     shifts, [sp, #80]
    ldr     range, [sp, #84]
    requantize_rows
    vpop    {d8-d11}
    pop     {r4-r11}
    bx      lr
end_function requantize_s32s8_rows_1x8_tvm
