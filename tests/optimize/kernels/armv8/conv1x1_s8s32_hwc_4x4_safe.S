/*toml
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv8.0-a", "neon"]
stack     = 32
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i], for weights of -128 too"
[args]
input        = { reg = "x0", read = "pixels*in_channels", layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "x1", read = "out_channels*in_channels", layout = "oc_ic", dtype = "int8", range = [-128, 127] }
output       = { reg = "x2", write = "4*pixels*out_channels", layout = "hwc", dtype = "int32" }
pixels       = { reg = "x3", range = [4, 8], step = 4 }
in_channels  = { reg = "x4", range = [16, 256], step = 16 }
out_channels = { reg = "x5", range = [4, 8], step = 4 }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// Tile: 4 pixels x 4 output channels. -128 * -128 twice does not fit int16, so each half of 16 products is added to the
// sums by itself: smull, sadalp, smull2, sadalp.

    .arch armv8-a
    .text

input        .req x0        // pixel 0 of the tile, walks along the input channels
weights      .req x1
output       .req x2
pixels       .req x3        // counts down
in_channels  .req x4
out_channels .req x5
input1       .req x6
input2       .req x7
input3       .req x8
row0         .req x9        // row of weights, walks along the input channels
row1         .req x10
row2         .req x11
row3         .req x12
output1      .req x13
output2      .req x14
output3      .req x15
channels     .req x16       // input channels left, counts down
outputs      .req x17       // output channels left, counts down

    .global conv1x1_s8s32_hwc_4x4_safe
    .type   conv1x1_s8s32_hwc_4x4_safe, %function
conv1x1_s8s32_hwc_4x4_safe:
    stp     d8, d9, [sp, #-32]!
    stp     d10, d11, [sp, #16]
.Lfour_pixels:
    mov     outputs, out_channels
    mov     row3, weights
    add     output1, output, out_channels, lsl #2
    add     output2, output1, out_channels, lsl #2
    add     output3, output2, out_channels, lsl #2
.Lfour_outputs:
    add     input1, input, in_channels
    add     input2, input1, in_channels
    add     input3, input2, in_channels
    mov     row0, row3                              // the end of row 3 is the start of the next
    add     row1, row0, in_channels
    add     row2, row1, in_channels
    add     row3, row2, in_channels
    movi    v16.4s, #0
    movi    v17.4s, #0
    movi    v18.4s, #0
    movi    v19.4s, #0
    movi    v20.4s, #0
    movi    v21.4s, #0
    movi    v22.4s, #0
    movi    v23.4s, #0
    movi    v24.4s, #0
    movi    v25.4s, #0
    movi    v26.4s, #0
    movi    v27.4s, #0
    movi    v28.4s, #0
    movi    v29.4s, #0
    movi    v30.4s, #0
    movi    v31.4s, #0
    mov     channels, in_channels
.Lsixteen:                                          // 74 instructions, 256 MACs
    ldr     q0, [input], #16
    ldr     q1, [input1], #16
    ldr     q2, [input2], #16
    ldr     q3, [input3], #16
    ldr     q4, [row0], #16
    ldr     q5, [row1], #16
    ldr     q6, [row2], #16
    ldr     q7, [row3], #16
    smull   v8.8h, v0.8b, v4.8b
    smull   v9.8h, v1.8b, v4.8b
    smull   v10.8h, v2.8b, v4.8b
    smull   v11.8h, v3.8b, v4.8b
    sadalp  v16.4s, v8.8h
    sadalp  v20.4s, v9.8h
    sadalp  v24.4s, v10.8h
    sadalp  v28.4s, v11.8h
    smull2  v8.8h, v0.16b, v4.16b
    smull2  v9.8h, v1.16b, v4.16b
    smull2  v10.8h, v2.16b, v4.16b
    smull2  v11.8h, v3.16b, v4.16b
    sadalp  v16.4s, v8.8h
    sadalp  v20.4s, v9.8h
    sadalp  v24.4s, v10.8h
    sadalp  v28.4s, v11.8h
    smull   v8.8h, v0.8b, v5.8b
    smull   v9.8h, v1.8b, v5.8b
    smull   v10.8h, v2.8b, v5.8b
    smull   v11.8h, v3.8b, v5.8b
    sadalp  v17.4s, v8.8h
    sadalp  v21.4s, v9.8h
    sadalp  v25.4s, v10.8h
    sadalp  v29.4s, v11.8h
    smull2  v8.8h, v0.16b, v5.16b
    smull2  v9.8h, v1.16b, v5.16b
    smull2  v10.8h, v2.16b, v5.16b
    smull2  v11.8h, v3.16b, v5.16b
    sadalp  v17.4s, v8.8h
    sadalp  v21.4s, v9.8h
    sadalp  v25.4s, v10.8h
    sadalp  v29.4s, v11.8h
    smull   v8.8h, v0.8b, v6.8b
    smull   v9.8h, v1.8b, v6.8b
    smull   v10.8h, v2.8b, v6.8b
    smull   v11.8h, v3.8b, v6.8b
    sadalp  v18.4s, v8.8h
    sadalp  v22.4s, v9.8h
    sadalp  v26.4s, v10.8h
    sadalp  v30.4s, v11.8h
    smull2  v8.8h, v0.16b, v6.16b
    smull2  v9.8h, v1.16b, v6.16b
    smull2  v10.8h, v2.16b, v6.16b
    smull2  v11.8h, v3.16b, v6.16b
    sadalp  v18.4s, v8.8h
    sadalp  v22.4s, v9.8h
    sadalp  v26.4s, v10.8h
    sadalp  v30.4s, v11.8h
    smull   v8.8h, v0.8b, v7.8b
    smull   v9.8h, v1.8b, v7.8b
    smull   v10.8h, v2.8b, v7.8b
    smull   v11.8h, v3.8b, v7.8b
    sadalp  v19.4s, v8.8h
    sadalp  v23.4s, v9.8h
    sadalp  v27.4s, v10.8h
    sadalp  v31.4s, v11.8h
    smull2  v8.8h, v0.16b, v7.16b
    smull2  v9.8h, v1.16b, v7.16b
    smull2  v10.8h, v2.16b, v7.16b
    smull2  v11.8h, v3.16b, v7.16b
    sadalp  v19.4s, v8.8h
    sadalp  v23.4s, v9.8h
    sadalp  v27.4s, v10.8h
    sadalp  v31.4s, v11.8h
    subs    channels, channels, #16
    b.ne    .Lsixteen
    addp    v16.4s, v16.4s, v17.4s
    addp    v18.4s, v18.4s, v19.4s
    addp    v16.4s, v16.4s, v18.4s
    addp    v20.4s, v20.4s, v21.4s
    addp    v22.4s, v22.4s, v23.4s
    addp    v20.4s, v20.4s, v22.4s
    addp    v24.4s, v24.4s, v25.4s
    addp    v26.4s, v26.4s, v27.4s
    addp    v24.4s, v24.4s, v26.4s
    addp    v28.4s, v28.4s, v29.4s
    addp    v30.4s, v30.4s, v31.4s
    addp    v28.4s, v28.4s, v30.4s
    str     q16, [output], #16
    str     q20, [output1], #16
    str     q24, [output2], #16
    str     q28, [output3], #16
    sub     input, input, in_channels               // this pixel's row again
    subs    outputs, outputs, #4
    b.ne    .Lfour_outputs
    mov     input, input3
    mov     output, output3
    subs    pixels, pixels, #4
    b.ne    .Lfour_pixels
    ldp     d10, d11, [sp, #16]
    ldp     d8, d9, [sp], #32
    ret
    .size   conv1x1_s8s32_hwc_4x4_safe, . - conv1x1_s8s32_hwc_4x4_safe
