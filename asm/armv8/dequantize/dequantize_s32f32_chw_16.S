/*toml
extends   = "dequantize_s32f32.inc"
summary   = "output = input * scale + bias, int32 -> float32, a scale and a bias for each row, CHW"
stack     = 0
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
//
// Cost of the hot loop, per 16 elements of a row = 16 elements: 1 load, 4 to convert, 4 to scale, 4 to add the bias, 1
// store, 2 for the loop = 16 instructions, 1.000 per element. The floor is 14: all but the loop's.

#include "dequantize_s32f32.inc"

in           .req x8        // walks along the row
out          .req x9
count        .req x10       // left of the row, counts down

scale        .req v16
offset       .req v17

// x = x * scale + bias
.macro dequantize x0, x1, x2, x3
    scvtf   \x0\().4s, \x0\().4s
  .ifnb \x1
    scvtf   \x1\().4s, \x1\().4s
    scvtf   \x2\().4s, \x2\().4s
    scvtf   \x3\().4s, \x3\().4s
  .endif
    fmul    \x0\().4s, \x0\().4s, scale.4s
  .ifnb \x1
    fmul    \x1\().4s, \x1\().4s, scale.4s
    fmul    \x2\().4s, \x2\().4s, scale.4s
    fmul    \x3\().4s, \x3\().4s, scale.4s
  .endif
    fadd    \x0\().4s, \x0\().4s, offset.4s
  .ifnb \x1
    fadd    \x1\().4s, \x1\().4s, offset.4s
    fadd    \x2\().4s, \x2\().4s, offset.4s
    fadd    \x3\().4s, \x3\().4s, offset.4s
  .endif
.endm

function dequantize_s32f32_chw_16
.Lrow:
    ld1r    {scale.4s}, [scales], #4
    ld1r    {offset.4s}, [bias], #4
    mov     in, input
    mov     out, output
    subs    count, cols, #16
    b.lo    .Lfewer_than_sixteen
.Lsixteen:                                          // the hot loop
    ld1     {v0.4s, v1.4s, v2.4s, v3.4s}, [in], #64
    subs    count, count, #16
    dequantize v0, v1, v2, v3
    st1     {v0.4s, v1.4s, v2.4s, v3.4s}, [out], #64
    b.hs    .Lsixteen
.Lfewer_than_sixteen:
    adds    count, count, #12
    b.mi    .Lfewer_than_four
.Lfour:
    ldr     q0, [in], #16
    subs    count, count, #4
    dequantize v0
    str     q0, [out], #16
    b.hs    .Lfour
.Lfewer_than_four:
    adds    count, count, #4
    b.eq    .Lend_of_row
.Lone:
    ldr     s0, [in], #4
    subs    count, count, #1
    dequantize v0
    str     s0, [out], #4
    b.ne    .Lone
.Lend_of_row:
    add     input, input, input_pitch
    add     output, output, output_pitch
    subs    rows, rows, #1
    b.ne    .Lrow
    ret
end_function dequantize_s32f32_chw_16
