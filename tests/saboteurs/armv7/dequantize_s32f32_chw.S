/*toml
summary   = "output = input * scale + bias, int32 -> float32, a scale and a bias for each row, CHW"
prototype = "void (const int32_t *input, float *output, size_t rows, size_t cols, ptrdiff_t input_pitch, ptrdiff_t output_pitch, const float *scales, const float *bias)"
isa       = ["armv7-a", "neon"]
stack     = 24
[args]
input        = { reg = "r0", read = { rows = "rows", bytes = "4*cols", pitch = "input_pitch" }, layout = "chw", dtype = "int32" }
output       = { reg = "r1", write = { rows = "rows", bytes = "4*cols", pitch = "output_pitch" }, layout = "chw", dtype = "float32" }
rows         = { reg = "r2", range = [1, 1048576] }
cols         = { reg = "r3", range = [1, 1048576] }
input_pitch  = { reg = "stack+0", range = [-4194304, 4194304], step = 4 }
output_pitch = { reg = "stack+4", range = [-4194304, 4194304], step = 4 }
scales       = { reg = "stack+8", read = "4*rows", dtype = "float32", range = [1e-9, 256.0] }
bias         = { reg = "stack+12", read = "4*rows", dtype = "float32", range = [1.0, 1e6] }
*/

// What conv1x1_s8s32_chw leaves, to floats, as ncnn does it: a row is a channel, cols its pixels, which are taken one by
// one. The input as float32, which rounds what is beyond 2^24, times scale, plus bias, rounded after each. ARMv7's NEON
// makes 0 of what is below 2^-126; the ranges of scale and bias leave no room for that.
//
// Registers: d0 the number, d16 the scale, d18 the bias.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

input        .req r0        // the row
output       .req r1
rows         .req r2        // left, counts down
cols         .req r3
input_pitch  .req r4        // bytes from one row to the next
output_pitch .req r5
scales       .req r6
bias         .req r7
in           .req r8        // walks along the row
out          .req r9
count        .req r12       // left of the row, counts down

    .p2align 4
    .global dequantize_s32f32_chw
    .type   dequantize_s32f32_chw, %function
dequantize_s32f32_chw:
    push    {r4-r9}
    ldr     input_pitch, [sp, #24]
    ldr     output_pitch, [sp, #28]
    ldr     scales, [sp, #32]
    ldr     bias, [sp, #36]
1:
    vld1.32 {d16[]}, [scales]!
    vld1.32 {d18[]}, [bias]!
    mov     in, input
    mov     out, output
    mov     count, cols
2:
    vld1.32 {d0[]}, [in]!
    subs    count, count, #1
    vcvt.f32.s32 d0, d0
    vmul.f32 d0, d0, d16
    vadd.f32 d0, d0, d18
    vst1.32 {d0[0]}, [out]!
    bne     2b
    add     input, input, input_pitch
    add     output, output, output_pitch
    subs    rows, rows, #1
    bne     1b
    pop     {r4-r9}
    bx      lr
    .size   dequantize_s32f32_chw, . - dequantize_s32f32_chw

    .section .note.GNU-stack,"",%progbits
