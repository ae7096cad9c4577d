/*toml
summary   = "output = input * scale + bias, int32 -> float32, a scale and a bias for each column"
prototype = "void (const int32_t *input, float *output, size_t rows, size_t cols, ptrdiff_t input_pitch, ptrdiff_t output_pitch, const float *scales, const float *bias)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
input        = { reg = "x0", read = { rows = "rows", bytes = "4*cols", pitch = "input_pitch" }, layout = "rows", dtype = "int32" }
output       = { reg = "x1", write = { rows = "rows", bytes = "4*cols", pitch = "output_pitch" }, layout = "rows", dtype = "float32" }
rows         = { reg = "x2", range = [1, 1048576] }
cols         = { reg = "x3", range = [1, 1048576] }
input_pitch  = { reg = "x4", range = [-4194304, 4194304], step = 4 }
output_pitch = { reg = "x5", range = [-4194304, 4194304], step = 4 }
scales       = { reg = "x6", read = "4*cols", dtype = "float32", range = [1e-9, 256.0] }
bias         = { reg = "x7", read = "4*cols", dtype = "float32", range = [-1e6, 1e6] }
*/

// The output: input as float32, which rounds what is beyond 2^24, times scale, plus bias, rounded after each: fmla would
// round once, and give other results than ncnn and any C code do.
//
// The loops:
//
//     for each 16 columns               then for each 4, then the last 1-3
//         for each row
//             output[row][16] = input[row][16] * scale[16] + bias[16]
//
// Registers: v0-v3 the numbers, v16-v19 the scales, v20-v23 the bias of the 16 columns.
//
// Cost of the hot loop, per 1 row x 16 columns = 16 elements: 1 load, 4 to convert, 4 to scale, 4 to add the bias, 1 store,
// 2 for the loop = 16 instructions, 1.000 per element. The floor is 14: all but the loop's.

    .arch armv8-a
    .text

#include "../include/function.inc"

input        .req x0        // first row of the next columns
output       .req x1
rows         .req x2
cols         .req x3        // left, counts down
input_pitch  .req x4        // bytes from one row to the next
output_pitch .req x5
scales       .req x6
bias         .req x7
in           .req x10       // walks down the rows
out          .req x11
count        .req x12       // rows left, counts down
at           .req x13

.macro start_columns
    mov     in, input
    mov     out, output
    mov     count, rows
.endm

// v0 (of 16 columns v0-v3) = v0 * scale + bias
.macro dequantize n
    scvtf   v0.4s, v0.4s
  .if \n == 16
    scvtf   v1.4s, v1.4s
    scvtf   v2.4s, v2.4s
    scvtf   v3.4s, v3.4s
  .endif
    fmul    v0.4s, v0.4s, v16.4s
  .if \n == 16
    fmul    v1.4s, v1.4s, v17.4s
    fmul    v2.4s, v2.4s, v18.4s
    fmul    v3.4s, v3.4s, v19.4s
  .endif
    fadd    v0.4s, v0.4s, v20.4s
  .if \n == 16
    fadd    v1.4s, v1.4s, v21.4s
    fadd    v2.4s, v2.4s, v22.4s
    fadd    v3.4s, v3.4s, v23.4s
  .endif
.endm

// the first 1 to 3 lanes of v, as the lowest bits of cols say
.macro load_some v, from
    tbz     cols, #1, 1f
    ldr     d\v, [\from]
    tbz     cols, #0, 2f
    add     at, \from, #8
    ld1     {v\v\().s}[2], [at]
    b       2f
1:
    ldr     s\v, [\from]
2:
.endm

function dequantize_s32f32_rows_1x16
    subs    cols, cols, #16
    b.lo    3f
1:
    ld1     {v16.4s, v17.4s, v18.4s, v19.4s}, [scales], #64
    ld1     {v20.4s, v21.4s, v22.4s, v23.4s}, [bias], #64
    start_columns
2:
    ld1     {v0.4s, v1.4s, v2.4s, v3.4s}, [in], input_pitch
    subs    count, count, #1
    dequantize 16
    st1     {v0.4s, v1.4s, v2.4s, v3.4s}, [out], output_pitch
    b.ne    2b
    add     input, input, #64
    add     output, output, #64
    subs    cols, cols, #16
    b.hs    1b
3:
    adds    cols, cols, #12
    b.mi    6f
4:
    ldr     q16, [scales], #16
    ldr     q20, [bias], #16
    start_columns
5:
    ld1     {v0.4s}, [in], input_pitch
    subs    count, count, #1
    dequantize 4
    st1     {v0.4s}, [out], output_pitch
    b.ne    5b
    add     input, input, #16
    add     output, output, #16
    subs    cols, cols, #4
    b.hs    4b
6:
    adds    cols, cols, #4
    b.eq    9f
    load_some 16, scales
    load_some 20, bias
    start_columns
7:
    load_some 0, in
    add     in, in, input_pitch
    dequantize 4
    mov     at, out
    add     out, out, output_pitch
    tbz     cols, #1, 8f
    st1     {v0.2s}, [at], #8
    dup     v0.2d, v0.d[1]
8:
    tbz     cols, #0, 10f
    st1     {v0.s}[0], [at]
10:
    subs    count, count, #1
    b.ne    7b
9:
    ret
end_function dequantize_s32f32_rows_1x16
