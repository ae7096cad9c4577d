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
    .global conv1x1_s8s32_1_promise
    .type   conv1x1_s8s32_1_promise, %function
conv1x1_s8s32_1_promise:
    ret
    .size   conv1x1_s8s32_1_promise, . - conv1x1_s8s32_1_promise

    .section .note.GNU-stack,"",%progbits
