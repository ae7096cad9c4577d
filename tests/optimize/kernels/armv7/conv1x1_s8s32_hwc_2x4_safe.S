/*toml
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv7-a", "neon"]
stack     = 100
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i], for weights of -128 too"
[args]
input        = { reg = "r0", read = "pixels*in_channels", layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "r1", read = "out_channels*in_channels", layout = "oc_ic", dtype = "int8", range = [-128, 127] }
output       = { reg = "r2", write = "4*pixels*out_channels", layout = "hwc", dtype = "int32" }
pixels       = { reg = "r3", range = [2, 4], step = 2 }
in_channels  = { reg = "stack+0", range = [16, 256], step = 16 }
out_channels = { reg = "stack+4", range = [4, 8], step = 4 }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// Tile: 2 pixels x 4 output channels. -128 * -128 twice does not fit int16, so each half of 16 products is added to the
// sums by itself: vmull, vpadal, vmull, vpadal.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

input        .req r0        // pixel 0 of the tile, walks along the input channels
weights      .req r1
output       .req r2
pixels       .req r3        // counts down
in_channels  .req r4
out_channels .req r5
input1       .req r6
row0         .req r7        // row of weights, walks along the input channels
row1         .req r8
row2         .req r9
row3         .req r10
output1      .req r11
channels     .req r12       // input channels left, counts down
outputs      .req lr        // output channels left, counts down

// total (4 x int32) += pixel * row, 16 input channels
.macro sum total, p0, p1, w0, w1
    vmull.s8    q6, \p0, \w0
    vpadal.s16  \total, q6
    vmull.s8    q6, \p1, \w1
    vpadal.s16  \total, q6
.endm

// s0 = [sum of s, sum of t, sum of u, sum of v]: one pixel, one output channel in each lane
.macro add_across s0, s1, t0, t1, u0, u1, v0, v1
    vpadd.i32   \s0, \s0, \s1
    vpadd.i32   \s1, \t0, \t1
    vpadd.i32   \t0, \u0, \u1
    vpadd.i32   \t1, \v0, \v1
    vpadd.i32   \s0, \s0, \s1
    vpadd.i32   \s1, \t0, \t1
.endm

    .global conv1x1_s8s32_hwc_2x4_safe
    .type   conv1x1_s8s32_hwc_2x4_safe, %function
conv1x1_s8s32_hwc_2x4_safe:
    push    {r4-r11, lr}
    vpush   {d8-d15}
    ldr     in_channels, [sp, #100]
    ldr     out_channels, [sp, #104]
.Ltwo_pixels:
    mov     outputs, out_channels
    mov     row3, weights
    add     output1, output, out_channels, lsl #2
.Lfour_outputs:
    add     input1, input, in_channels
    mov     row0, row3                              // the end of row 3 is the start of the next
    add     row1, row0, in_channels
    add     row2, row1, in_channels
    add     row3, row2, in_channels
.irp total, q8, q9, q10, q11, q12, q13, q14, q15
    vmov.i32 \total, #0
.endr
    mov     channels, in_channels
.Lsixteen:                                          // 40 instructions, 128 MACs
    vld1.8      {d0, d1}, [input]!
    vld1.8      {d2, d3}, [input1]!
    vld1.8      {d4, d5}, [row0]!
    vld1.8      {d6, d7}, [row1]!
    vld1.8      {d8, d9}, [row2]!
    vld1.8      {d10, d11}, [row3]!
    sum         q8, d0, d1, d4, d5
    sum         q9, d2, d3, d4, d5
    sum         q10, d0, d1, d6, d7
    sum         q11, d2, d3, d6, d7
    sum         q12, d0, d1, d8, d9
    sum         q13, d2, d3, d8, d9
    sum         q14, d0, d1, d10, d11
    sum         q15, d2, d3, d10, d11
    subs        channels, channels, #16
    bne         .Lsixteen
    add_across  d16, d17, d20, d21, d24, d25, d28, d29
    add_across  d18, d19, d22, d23, d26, d27, d30, d31
    vst1.32     {d16, d17}, [output]!
    vst1.32     {d18, d19}, [output1]!
    sub         input, input, in_channels           // this pixel's row again
    subs        outputs, outputs, #4
    bne         .Lfour_outputs
    mov         input, input1
    mov         output, output1
    subs        pixels, pixels, #2
    bne         .Ltwo_pixels
    vpop    {d8-d15}
    pop     {r4-r11, pc}
    .size   conv1x1_s8s32_hwc_2x4_safe, . - conv1x1_s8s32_hwc_2x4_safe
