/*toml
extends   = "dequantize_s32f32.inc"
summary   = "output = input * scale + bias, int32 -> float32, a scale and a bias for each row, CHW"
stack     = 32
[args]
input  = { layout = "chw" }
output = { layout = "chw" }
scales = { read = "4*rows" }
bias   = { read = "4*rows" }
*/

// What conv1x1_s8s32_chw leaves, to floats: a row is a channel, cols its pixels. rows counts down.
//
// The loops:
//
//     for each row
//         for each 16 pixels               then for each 4, then one by one
//         for each pixel                   only where 0 < |bias| < 2^-126
//
// Registers: q0-q3 the numbers, q8 the scale, q9 the bias.
//
// Cost of the hot loop, per 16 elements of a row = 16 elements: 2 loads, 4 to convert, 4 to scale, 4 to add the bias, 2
// stores, 2 for the loop = 18 instructions, 1.125 per element. The floor is 16: all but the loop's.

#include "dequantize_s32f32.inc"

in           .req r8        // walks along the row
out          .req r9
count        .req r12       // left of the row, counts down
at           .req r10
bits         .req r11       // of the bias

// x = x * scale + bias
.macro dequantize x0, x1, x2, x3
    vcvt.f32.s32 \x0, \x0
  .ifnb \x1
    vcvt.f32.s32 \x1, \x1
    vcvt.f32.s32 \x2, \x2
    vcvt.f32.s32 \x3, \x3
  .endif
    vmul.f32 \x0, \x0, q8
  .ifnb \x1
    vmul.f32 \x1, \x1, q8
    vmul.f32 \x2, \x2, q8
    vmul.f32 \x3, \x3, q8
  .endif
    vadd.f32 \x0, \x0, q9
  .ifnb \x1
    vadd.f32 \x1, \x1, q9
    vadd.f32 \x2, \x2, q9
    vadd.f32 \x3, \x3, q9
  .endif
.endm

function dequantize_s32f32_chw_16
    push    {r4-r11}
    ldr     input_pitch, [sp, #32]
    ldr     output_pitch, [sp, #36]
    ldr     scales, [sp, #40]
    ldr     bias, [sp, #44]
.Lrow:
    vld1.32 {d16[], d17[]}, [scales]!
    vld1.32 {d18[], d19[]}, [bias]!
    mov     in, input
    mov     out, output
    subs    count, cols, #16
    blo     .Lfewer_than_sixteen
.Lsixteen:                                          // the hot loop
    vld1.32 {d0, d1, d2, d3}, [in]!
    vld1.32 {d4, d5, d6, d7}, [in]!
    subs    count, count, #16
    dequantize q0, q1, q2, q3
    vst1.32 {d0, d1, d2, d3}, [out]!
    vst1.32 {d4, d5, d6, d7}, [out]!
    bhs     .Lsixteen
.Lfewer_than_sixteen:
    adds    count, count, #12
    bmi     .Lfewer_than_four
.Lfour:
    vld1.32 {d0, d1}, [in]!
    subs    count, count, #4
    dequantize q0
    vst1.32 {d0, d1}, [out]!
    bhs     .Lfour
.Lfewer_than_four:
    adds    count, count, #4
    beq     .Lwhole_row
.Lone:
    vld1.32 {d0[], d1[]}, [in]!
    subs    count, count, #1
    dequantize q0
    vst1.32 {d0[0]}, [out]!
    bne     .Lone
.Lwhole_row:
    ldr     bits, [bias, #-4]
    unless_denormal .Lend_of_row
    mov     in, input
    mov     out, output
    mov     count, cols
.Ldenormal:                                         // 1 element, 6 instructions
    ldr     at, [in], #4
    cmp     at, #0
    streq   bits, [out]
    add     out, out, #4
    subs    count, count, #1
    bne     .Ldenormal
.Lend_of_row:
    add     input, input, input_pitch
    add     output, output, output_pitch
    subs    rows, rows, #1
    bne     .Lrow
    pop     {r4-r11}
    bx      lr
end_function dequantize_s32f32_chw_16
