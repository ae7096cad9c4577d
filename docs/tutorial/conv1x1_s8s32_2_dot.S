/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv8.0-a", "neon"]
[args]
input        = { reg = "x0", read = "pixels*in_channels", layout = "hwc" }
weights      = { reg = "x1", read = "out_channels*in_channels", layout = "oc_ic" }
output       = { reg = "x2", write = "4*pixels*out_channels", layout = "hwc" }
pixels       = { reg = "x3", range = [1, 65536] }
in_channels  = { reg = "x4", range = [16, 4096], step = 16 }
out_channels = { reg = "x5", range = [1, 4096] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

    .text
    .p2align 4
    .global conv1x1_s8s32_2_dot
    .type   conv1x1_s8s32_2_dot, %function
conv1x1_s8s32_2_dot:
1:                                      // a pixel
    mov     x6, x1                      // the first row of weights
    mov     x7, x5
2:                                      // an output channel
    mov     x8, x0
    mov     x9, x4
    movi    v2.4s, #0
3:                                      // 16 input channels: 7 instructions, 16 MACs
    ld1     {v0.16b}, [x8], #16
    ld1     {v1.16b}, [x6], #16
    smull   v3.8h, v0.8b, v1.8b
    smlal2  v3.8h, v0.16b, v1.16b
    sadalp  v2.4s, v3.8h
    subs    x9, x9, #16
    b.ne    3b
    addv    s2, v2.4s
    str     s2, [x2], #4
    subs    x7, x7, #1
    b.ne    2b
    mov     x0, x8                      // the end of this pixel is the start of the next
    subs    x3, x3, #1
    b.ne    1b
    ret
    .size   conv1x1_s8s32_2_dot, . - conv1x1_s8s32_2_dot

    .section .note.GNU-stack,"",%progbits
