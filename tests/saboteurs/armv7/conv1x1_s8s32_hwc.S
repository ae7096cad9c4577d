/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, one sum at a time"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv7-a", "neon"]
stack     = 36
[args]
input        = { reg = "r0", read = "pixels*in_channels", layout = "hwc", range = [-128, 127] }
weights      = { reg = "r1", read = "out_channels*in_channels", layout = "oc_ic", range = [-128, 127] }
output       = { reg = "r2", write = "4*pixels*out_channels", layout = "hwc" }
pixels       = { reg = "r3", range = [1, 65536] }
in_channels  = { reg = "stack+0", range = [1, 65536] }
out_channels = { reg = "stack+4", range = [1, 65536] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// For each pixel, for each output channel: 8 input channels a pass, then the last 0-7 one at a time, then one store.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global conv1x1_s8s32_hwc
    .type   conv1x1_s8s32_hwc, %function
conv1x1_s8s32_hwc:
    push    {r4-r11, lr}
    ldr     r4, [sp, #36]
    ldr     r5, [sp, #40]
1:
    mov     r6, r1
    mov     r7, r5
2:
    mov     r8, r0
    vmov.i32 q8, #0
    subs    r9, r4, #8
    blo     4f
3:
    vld1.8  {d0}, [r8]!
    vld1.8  {d1}, [r6]!
    subs    r9, r9, #8
    vmull.s8 q1, d0, d1
    vpadal.s16 q8, q1
    bhs     3b
4:
    vadd.i32 d16, d16, d17
    vpadd.i32 d16, d16, d16
    vmov.32 r10, d16[0]
    adds    r9, r9, #8
    beq     6f
5:
    ldrsb   r11, [r8], #1
    ldrsb   r12, [r6], #1
    subs    r9, r9, #1
    mla     r10, r11, r12, r10
    bne     5b
6:
    str     r10, [r2], #4
    subs    r7, r7, #1
    bne     2b
    add     r0, r0, r4
    subs    r3, r3, #1
    bne     1b
    pop     {r4-r11, pc}
    .size   conv1x1_s8s32_hwc, . - conv1x1_s8s32_hwc

    .section .note.GNU-stack,"",%progbits
