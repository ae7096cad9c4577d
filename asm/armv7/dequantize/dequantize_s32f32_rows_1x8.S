/*toml
extends   = "dequantize_s32f32.inc"
summary   = "output = input * scale + bias, int32 -> float32, a scale and a bias for each column"
stack     = 48
[args]
input  = { layout = "rows" }
output = { layout = "rows" }
scales = { read = "4*cols" }
bias   = { read = "4*cols" }
*/

// The loops:
//
//     for each 8 columns                then for 4, then the last 1-3
//         for each row
//             output[row][8] = input[row][8] * scale[8] + bias[8]
//     for each column                   only where 0 < |bias| < 2^-126
//         for each row
//             output[row][1] = bias[1], if input[row][1] is 0
//
// Registers: q0, q1 the numbers, q8, q9 the scales, q10, q11 the bias of the 8 columns. cols
// counts down.
//
// Cost of the hot loop, per 1 row x 8 columns = 8 elements: 1 load, 2 to convert, 2 to scale, 2 to add the bias, 1 store,
// 2 for the loop = 10 instructions, 1.250 per element. The floor is 8: all but the loop's.

#include "../include/columns.inc"
#include "../include/parts.inc"
#include "dequantize_s32f32.inc"

in           .req r8        // walks down the rows
out          .req r9
count        .req r10       // rows left, counts down
at           .req r12
bits         .req r6        // of a bias; scales are done with by then

// q0 (of 8 columns q0, q1) = q0 * scale + bias
.macro dequantize n
    each_alone \n, vcvt.f32.s32, q0, q1
    each    \n, vmul.f32, q0, q1, q8, q9
    each    \n, vadd.f32, q0, q1, q10, q11
.endm

// low, high = the last 1 to 3 columns at [from]
.macro load_last_columns low, high, from
    mov     at, \from
    load_up_to_3_words \low, \high, at, cols
.endm

function dequantize_s32f32_rows_1x8
    push    {r0-r11}
    ldr     input_pitch, [sp, #48]
    ldr     output_pitch, [sp, #52]
    ldr     scales, [sp, #56]
    ldr     bias, [sp, #60]
    subs    cols, cols, #8
    blo     .Lfewer_than_eight
.Leight_columns:
    load_each 8, scales, d16, d17, d18, d19
    load_each 8, bias, d20, d21, d22, d23
    start_columns
.Lrow_of_eight:                                     // the hot loop: 8 elements
    vld1.32 {d0, d1, d2, d3}, [in], input_pitch
    subs    count, count, #1
    dequantize 8
    vst1.32 {d0, d1, d2, d3}, [out], output_pitch
    bne     .Lrow_of_eight
    add     input, input, #32
    add     output, output, #32
    subs    cols, cols, #8
    bhs     .Leight_columns
.Lfewer_than_eight:
    adds    cols, cols, #4
    bmi     .Lfewer_than_four
    load_each 4, scales, d16, d17
    load_each 4, bias, d20, d21
    start_columns
.Lrow_of_four:                                      // 4 elements
    vld1.32 {d0, d1}, [in], input_pitch
    subs    count, count, #1
    dequantize 4
    vst1.32 {d0, d1}, [out], output_pitch
    bne     .Lrow_of_four
    add     input, input, #16
    add     output, output, #16
    sub     cols, cols, #4
.Lfewer_than_four:
    adds    cols, cols, #4
    beq     .Lall_columns
    vmov.i32 q0, #0
    vmov.i32 q8, #0
    vmov.i32 q10, #0
    load_last_columns d16, d17, scales
    load_last_columns d20, d21, bias
    start_columns
.Lrow_of_last_columns:                              // 1-3 elements
    load_last_columns d0, d1, in
    add     in, in, input_pitch
    dequantize 4
    mov     at, out
    add     out, out, output_pitch
    store_up_to_3_words at, d0, d1, cols
    subs    count, count, #1
    bne     .Lrow_of_last_columns
.Lall_columns:
    pop     {r0-r3}
    ldr     bias, [sp, #44]
.Lbias_of_column:
    ldr     bits, [bias], #4
    unless_denormal .Lnext_column
    start_columns
.Ldenormal:                                         // 1 element, 6 instructions
    ldr     at, [in], input_pitch
    cmp     at, #0
    streq   bits, [out]
    add     out, out, output_pitch
    subs    count, count, #1
    bne     .Ldenormal
.Lnext_column:
    add     input, input, #4
    add     output, output, #4
    subs    cols, cols, #1
    bne     .Lbias_of_column
    pop     {r4-r11}
    bx      lr
end_function dequantize_s32f32_rows_1x8
