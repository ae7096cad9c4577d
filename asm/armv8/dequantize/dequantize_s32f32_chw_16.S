/*toml
summary   = "output = input * scale + bias, int32 -> float32, a scale and a bias for each row, CHW"
prototype = "void (const int32_t *input, float *output, size_t rows, size_t cols, ptrdiff_t input_pitch, ptrdiff_t output_pitch, const float *scales, const float *bias)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
input        = { reg = "x0", read = { rows = "rows", bytes = "4*cols", pitch = "input_pitch" }, layout = "chw", dtype = "int32" }
output       = { reg = "x1", write = { rows = "rows", bytes = "4*cols", pitch = "output_pitch" }, layout = "chw", dtype = "float32" }
rows         = { reg = "x2", range = [1, 1048576] }
cols         = { reg = "x3", range = [1, 1048576] }
input_pitch  = { reg = "x4", range = [-4194304, 4194304], step = 4 }
output_pitch = { reg = "x5", range = [-4194304, 4194304], step = 4 }
scales       = { reg = "x6", read = "4*rows", dtype = "float32", range = [1e-9, 256.0] }
bias         = { reg = "x7", read = "4*rows", dtype = "float32", range = [-1e6, 1e6] }
*/

// What conv1x1_s8s32_chw leaves, to floats, as ncnn does it: a row is a channel, cols its pixels. The input as float32,
// which rounds what is beyond 2^24, times scale, plus bias, rounded after each: fmla would round once.
//
// The loops:
//
//     for each row
//         for each 16 pixels               then for each 4, then one by one
//
// Cost of the hot loop, per 16 elements of a row = 16 elements: 1 load, 4 to convert, 4 to scale, 4 to add the bias, 1
// store, 2 for the loop = 16 instructions, 1.000 per element. The floor is 14: all but the loop's.

    .arch armv8-a
    .text

#include "../include/function.inc"

input        .req x0        // the row
output       .req x1
rows         .req x2        // left, counts down
cols         .req x3
input_pitch  .req x4        // bytes from one row to the next
output_pitch .req x5
scales       .req x6
bias         .req x7
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
1:
    ld1r    {scale.4s}, [scales], #4
    ld1r    {offset.4s}, [bias], #4
    mov     in, input
    mov     out, output
    subs    count, cols, #16
    b.lo    3f
2:
    ld1     {v0.4s, v1.4s, v2.4s, v3.4s}, [in], #64
    subs    count, count, #16
    dequantize v0, v1, v2, v3
    st1     {v0.4s, v1.4s, v2.4s, v3.4s}, [out], #64
    b.hs    2b
3:
    adds    count, count, #12
    b.mi    5f
4:
    ldr     q0, [in], #16
    subs    count, count, #4
    dequantize v0
    str     q0, [out], #16
    b.hs    4b
5:
    adds    count, count, #4
    b.eq    7f
6:
    ldr     s0, [in], #4
    subs    count, count, #1
    dequantize v0
    str     s0, [out], #4
    b.ne    6b
7:
    add     input, input, input_pitch
    add     output, output, output_pitch
    subs    rows, rows, #1
    b.ne    1b
    ret
end_function dequantize_s32f32_chw_16
