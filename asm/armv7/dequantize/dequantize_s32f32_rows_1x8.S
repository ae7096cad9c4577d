/*toml
summary   = "output = input * scale + bias, int32 -> float32, a scale and a bias for each column"
prototype = "void (const int32_t *input, float *output, size_t rows, size_t cols, ptrdiff_t input_pitch, ptrdiff_t output_pitch, const float *scales, const float *bias)"
isa       = ["armv7-a", "neon"]
stack     = 48
[args]
input        = { reg = "r0", read = { rows = "rows", bytes = "4*cols", pitch = "input_pitch" }, layout = "rows", dtype = "int32" }
output       = { reg = "r1", write = { rows = "rows", bytes = "4*cols", pitch = "output_pitch" }, layout = "rows", dtype = "float32" }
rows         = { reg = "r2", range = [1, 1048576] }
cols         = { reg = "r3", range = [1, 1048576] }
input_pitch  = { reg = "stack+0", range = [-4194304, 4194304], step = 4 }
output_pitch = { reg = "stack+4", range = [-4194304, 4194304], step = 4 }
scales       = { reg = "stack+8", read = "4*cols", dtype = "float32", range = [1e-9, 256.0] }
bias         = { reg = "stack+12", read = "4*cols", dtype = "float32", range = [-1e6, 1e6] }
*/

// The output: input as float32, which rounds what is beyond 2^24, times scale, plus bias, rounded after each. ARMv7's
// NEON makes 0 of what is nearer to 0 than 2^-126. A product never is; a bias may be. It shows where the number is 0, for
// which the bias is the result: that is stored by a loop of its own at the end.
//
// The loops:
//
//     for each 8 columns                then for 4, then the last 1-3
//         for each row
//             output[row][8] = input[row][8] * scale[8] + bias[8]
//     for each column                   only where 0 < |bias| < 2^-126
//         for each row
//             output[row][1] = bias[1], if input[row][1] is 0
//
// Registers: q0, q1 the numbers, q8, q9 the scales, q10, q11 the bias of the 8 columns.
//
// Cost of the hot loop, per 1 row x 8 columns = 8 elements: 1 load, 2 to convert, 2 to scale, 2 to add the bias, 1 store,
// 2 for the loop = 10 instructions, 1.250 per element. The floor is 8: all but the loop's.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

#include "../include/function.inc"

input        .req r0        // first row of the next columns
output       .req r1
rows         .req r2
cols         .req r3        // left, counts down
input_pitch  .req r4        // bytes from one row to the next
output_pitch .req r5
scales       .req r6
bias         .req r7
in           .req r8        // walks down the rows
out          .req r9
count        .req r10       // rows left, counts down
at           .req r12
bits         .req r6        // of a bias; scales are done with by then

.macro start_columns
    mov     in, input
    mov     out, output
    mov     count, rows
.endm

// q0 (of 8 columns q0, q1) = q0 * scale + bias
.macro dequantize n
    vcvt.f32.s32 q0, q0
  .if \n == 8
    vcvt.f32.s32 q1, q1
  .endif
    vmul.f32 q0, q0, q8
  .if \n == 8
    vmul.f32 q1, q1, q9
  .endif
    vadd.f32 q0, q0, q10
  .if \n == 8
    vadd.f32 q1, q1, q11
  .endif
.endm

// the first 1 to 3 lanes of low, high, as the lowest bits of cols say
.macro load_some low, high, from
    mov     at, \from
    tst     cols, #2
    beq     1f
    vld1.32 {\low}, [at]!
    tst     cols, #1
    beq     2f
    vld1.32 {\high\()[0]}, [at]
    b       2f
1:
    vld1.32 {\low\()[0]}, [at]
2:
.endm

function dequantize_s32f32_rows_1x8
    push    {r0-r11}
    ldr     input_pitch, [sp, #48]
    ldr     output_pitch, [sp, #52]
    ldr     scales, [sp, #56]
    ldr     bias, [sp, #60]
    subs    cols, cols, #8
    blo     3f
1:
    vld1.32 {d16, d17, d18, d19}, [scales]!
    vld1.32 {d20, d21, d22, d23}, [bias]!
    start_columns
2:
    vld1.32 {d0, d1, d2, d3}, [in], input_pitch
    subs    count, count, #1
    dequantize 8
    vst1.32 {d0, d1, d2, d3}, [out], output_pitch
    bne     2b
    add     input, input, #32
    add     output, output, #32
    subs    cols, cols, #8
    bhs     1b
3:
    adds    cols, cols, #4
    bmi     6f
    vld1.32 {d16, d17}, [scales]!
    vld1.32 {d20, d21}, [bias]!
    start_columns
5:
    vld1.32 {d0, d1}, [in], input_pitch
    subs    count, count, #1
    dequantize 4
    vst1.32 {d0, d1}, [out], output_pitch
    bne     5b
    add     input, input, #16
    add     output, output, #16
    sub     cols, cols, #4
6:
    adds    cols, cols, #4
    beq     9f
    vmov.i32 q0, #0
    vmov.i32 q8, #0
    vmov.i32 q10, #0
    load_some d16, d17, scales
    load_some d20, d21, bias
    start_columns
7:
    load_some d0, d1, in
    add     in, in, input_pitch
    dequantize 4
    mov     at, out
    add     out, out, output_pitch
    tst     cols, #2
    beq     8f
    vst1.32 {d0}, [at]!
    vmov    d0, d1
8:
    tst     cols, #1
    beq     10f
    vst1.32 {d0[0]}, [at]
10:
    subs    count, count, #1
    bne     7b
9:
    pop     {r0-r3}
    ldr     bias, [sp, #44]
11:
    ldr     bits, [bias], #4
    lsls    at, bits, #1        // without the sign
    beq     13f
    cmp     at, #0x01000000     // the lowest normal number, without the sign
    bhs     13f
    start_columns
12:
    ldr     at, [in], input_pitch
    cmp     at, #0
    streq   bits, [out]
    add     out, out, output_pitch
    subs    count, count, #1
    bne     12b
13:
    add     input, input, #4
    add     output, output, #4
    subs    cols, cols, #1
    bne     11b
    pop     {r4-r11}
    bx      lr
end_function dequantize_s32f32_rows_1x8
