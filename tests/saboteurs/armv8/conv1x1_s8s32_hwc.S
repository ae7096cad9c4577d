/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, one sum at a time"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv8.0-a", "neon"]
[args]
input        = { reg = "x0", read = "pixels*in_channels", layout = "hwc", range = [-128, 127] }
weights      = { reg = "x1", read = "out_channels*in_channels", layout = "oc_ic", range = [-128, 127] }
output       = { reg = "x2", write = "4*pixels*out_channels", layout = "hwc" }
pixels       = { reg = "x3", range = [1, 65536] }
in_channels  = { reg = "x4", range = [1, 65536] }
out_channels = { reg = "x5", range = [1, 65536] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// For each pixel, for each output channel: 8 input channels a pass, then the last 0-7 one at a time, then one store.

    .text
    .p2align 4
    .global conv1x1_s8s32_hwc
    .type   conv1x1_s8s32_hwc, %function
conv1x1_s8s32_hwc:
1:
    mov     x6, x1
    mov     x7, x5
2:
    mov     x8, x0
    movi    v2.4s, #0
    subs    x9, x4, #8
    b.lo    4f
3:
    ldr     d0, [x8], #8
    ldr     d1, [x6], #8
    subs    x9, x9, #8
    smull   v3.8h, v0.8b, v1.8b
    sadalp  v2.4s, v3.8h
    b.hs    3b
4:
    addv    s2, v2.4s
    fmov    w10, s2
    adds    x9, x9, #8
    b.eq    6f
5:
    ldrsb   w11, [x8], #1
    ldrsb   w12, [x6], #1
    subs    x9, x9, #1
    madd    w10, w11, w12, w10
    b.ne    5b
6:
    str     w10, [x2], #4
    subs    x7, x7, #1
    b.ne    2b
    add     x0, x0, x4
    subs    x3, x3, #1
    b.ne    1b
    ret
    .size   conv1x1_s8s32_hwc, . - conv1x1_s8s32_hwc

    .section .note.GNU-stack,"",%progbits
