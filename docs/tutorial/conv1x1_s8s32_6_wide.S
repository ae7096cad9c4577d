/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv8.0-a", "neon"]
stack     = 64
[args]
input        = { reg = "x0", read = "pixels*in_channels", layout = "hwc" }
weights      = { reg = "x1", read = "out_channels*in_channels", layout = "oc_ic", range = [-127, 127] }
output       = { reg = "x2", write = "4*pixels*out_channels", layout = "hwc" }
pixels       = { reg = "x3", range = [4, 65536], step = 4 }
in_channels  = { reg = "x4", range = [32, 4096], step = 32 }
out_channels = { reg = "x5", range = [4, 4096], step = 4 }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// 4 pixels x 4 output channels. Sums of pixel p: v16+p for channel 0, v20+p, v24+p, v28+p for the others.

input        .req x0            // pixel 0 of the tile
weights      .req x1
store        .req x2            // output of pixel 0
pixels       .req x3            // left, counts down
in_channels  .req x4
out_channels .req x5
input1       .req x6
input2       .req x7
input3       .req x8
row0         .req x9            // rows of weights
row1         .req x10
row2         .req x11
row3         .req x12
store1       .req x13
store2       .req x14
store3       .req x15
channels     .req x16           // input channels left
outputs      .req x17           // output channels left

// s0-s3 += 16 input channels of four pixels, a0-a3, times one row of weights, w
.macro dot w, a0, a1, a2, a3, s0, s1, s2, s3
    smull   v12.8h, \a0\().8b, \w\().8b
    smull   v13.8h, \a1\().8b, \w\().8b
    smull   v14.8h, \a2\().8b, \w\().8b
    smull   v15.8h, \a3\().8b, \w\().8b
    smlal2  v12.8h, \a0\().16b, \w\().16b
    smlal2  v13.8h, \a1\().16b, \w\().16b
    smlal2  v14.8h, \a2\().16b, \w\().16b
    smlal2  v15.8h, \a3\().16b, \w\().16b
    sadalp  \s0\().4s, v12.8h
    sadalp  \s1\().4s, v13.8h
    sadalp  \s2\().4s, v14.8h
    sadalp  \s3\().4s, v15.8h
.endm

// s0 = the sums of all lanes of s0, s1, s2, s3, in this order
.macro across s0, s1, s2, s3
    addp    \s0\().4s, \s0\().4s, \s1\().4s
    addp    \s2\().4s, \s2\().4s, \s3\().4s
    addp    \s0\().4s, \s0\().4s, \s2\().4s
.endm

    .text
    .p2align 4
    .global conv1x1_s8s32_6_wide
    .type   conv1x1_s8s32_6_wide, %function
conv1x1_s8s32_6_wide:
    stp     d8, d9, [sp, #-64]!
    stp     d10, d11, [sp, #16]
    stp     d12, d13, [sp, #32]
    stp     d14, d15, [sp, #48]
1:                                      // 4 pixels
    add     input1, input, in_channels
    add     input2, input1, in_channels
    add     input3, input2, in_channels
    add     store1, store, out_channels, lsl #2
    add     store2, store1, out_channels, lsl #2
    add     store3, store2, out_channels, lsl #2
    mov     row3, weights
    mov     outputs, out_channels
2:                                      // 4 output channels
    mov     row0, row3                  // the end of a row is the start of the next
    add     row1, row0, in_channels
    add     row2, row1, in_channels
    add     row3, row2, in_channels
    mov     channels, in_channels
  .irp sum, v16, v17, v18, v19, v20, v21, v22, v23, v24, v25, v26, v27, v28, v29, v30, v31
    movi    \sum\().4s, #0
  .endr
3:                                      // 32 input channels: 106 instructions, 512 MACs
    ldp     q0, q1, [input], #32
    ldp     q2, q3, [input1], #32
    ldp     q4, q5, [input2], #32
    ldp     q6, q7, [input3], #32
    ldp     q8, q9, [row0], #32
    ldp     q10, q11, [row1], #32
    dot     v8, v0, v2, v4, v6, v16, v17, v18, v19
    dot     v9, v1, v3, v5, v7, v16, v17, v18, v19
    ldp     q8, q9, [row2], #32
    dot     v10, v0, v2, v4, v6, v20, v21, v22, v23
    dot     v11, v1, v3, v5, v7, v20, v21, v22, v23
    ldp     q10, q11, [row3], #32
    dot     v8, v0, v2, v4, v6, v24, v25, v26, v27
    dot     v9, v1, v3, v5, v7, v24, v25, v26, v27
    subs    channels, channels, #32
    dot     v10, v0, v2, v4, v6, v28, v29, v30, v31
    dot     v11, v1, v3, v5, v7, v28, v29, v30, v31
    b.ne    3b
    across  v16, v20, v24, v28
    across  v17, v21, v25, v29
    across  v18, v22, v26, v30
    across  v19, v23, v27, v31
    str     q16, [store], #16
    str     q17, [store1], #16
    str     q18, [store2], #16
    str     q19, [store3], #16
    sub     input, input, in_channels
    sub     input1, input1, in_channels
    sub     input2, input2, in_channels
    sub     input3, input3, in_channels
    subs    outputs, outputs, #4
    b.ne    2b
    add     input, input3, in_channels  // the end of pixel 3 is the start of the next 4
    mov     store, store3
    subs    pixels, pixels, #4
    b.ne    1b
    ldp     d10, d11, [sp, #16]
    ldp     d12, d13, [sp, #32]
    ldp     d14, d15, [sp, #48]
    ldp     d8, d9, [sp], #64
    ret
    .size   conv1x1_s8s32_6_wide, . - conv1x1_s8s32_6_wide

    .section .note.GNU-stack,"",%progbits
