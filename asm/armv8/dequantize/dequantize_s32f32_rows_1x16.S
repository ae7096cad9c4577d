/*toml
extends   = "dequantize_s32f32.inc"
summary   = "output = input * scale + bias, int32 -> float32, a scale and a bias for each column"
stack     = 0
[args]
input  = { layout = "rows" }
output = { layout = "rows" }
scales = { read = "4*cols" }
bias   = { read = "4*cols" }
*/

// The loops:
//
//     for each 16 columns               then for each 4, then the last 1-3
//         for each row
//             output[row][16] = input[row][16] * scale[16] + bias[16]
//
// v0-v3 are the numbers. cols counts down.
//
// Cost of the hot loop, per 1 row x 16 columns = 16 elements: 1 load, 4 to convert, 4 to scale, 4 to add the bias, 1 store,
// 2 for the loop = 16 instructions, 1.000 per element. The floor is 14: all but the loop's.

#include "../include/columns.inc"
#include "../include/parts.inc"
#include "dequantize_s32f32.inc"

in           .req x10       // walks down the rows
out          .req x11
count        .req x12       // rows left, counts down
at           .req x13

scale0       .req v16       // of the 16 columns
scale1       .req v17
scale2       .req v18
scale3       .req v19
offset0      .req v20       // of the 16 columns: their bias
offset1      .req v21
offset2      .req v22
offset3      .req v23

// v0 (of 16 columns v0-v3) = v0 * scale + bias
.macro dequantize n
    each_alone \n, scvtf
    each    \n, fmul, scale
    each    \n, fadd, offset
.endm

function dequantize_s32f32_rows_1x16
    subs    cols, cols, #16
    b.lo    .Lfewer_than_sixteen
.Lsixteen_columns:
    load_each 16, scale, scales
    load_each 16, offset, bias
    start_columns
.Lrow_of_sixteen:                                   // the hot loop: 16 elements
    ld1     {v0.4s, v1.4s, v2.4s, v3.4s}, [in], input_pitch
    subs    count, count, #1
    dequantize 16
    st1     {v0.4s, v1.4s, v2.4s, v3.4s}, [out], output_pitch
    b.ne    .Lrow_of_sixteen
    add     input, input, #64
    add     output, output, #64
    subs    cols, cols, #16
    b.hs    .Lsixteen_columns
.Lfewer_than_sixteen:
    adds    cols, cols, #12
    b.mi    .Lfewer_than_four
.Lfour_columns:
    ldr     q16, [scales], #16
    ldr     q20, [bias], #16
    start_columns
.Lrow_of_four:                                      // 4 elements
    ld1     {v0.4s}, [in], input_pitch
    subs    count, count, #1
    dequantize 4
    st1     {v0.4s}, [out], output_pitch
    b.ne    .Lrow_of_four
    add     input, input, #16
    add     output, output, #16
    subs    cols, cols, #4
    b.hs    .Lfour_columns
.Lfewer_than_four:
    adds    cols, cols, #4
    b.eq    .Ldone
    load_up_to_3_words 16, scales, cols
    load_up_to_3_words 20, bias, cols
    start_columns
.Lrow_of_last_columns:                              // 1-3 elements
    load_up_to_3_words 0, in, cols
    add     in, in, input_pitch
    dequantize 4
    mov     at, out
    add     out, out, output_pitch
    store_up_to_3_words at, v0, cols
    subs    count, count, #1
    b.ne    .Lrow_of_last_columns
.Ldone:
    ret
end_function dequantize_s32f32_rows_1x16
