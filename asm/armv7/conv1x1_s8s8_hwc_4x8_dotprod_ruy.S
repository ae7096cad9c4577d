/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i] + bias[o], requantized as in ruy to int8, HWC, weights packed, vsdot"
prototype = "void (const int8_t *input, const int8_t *weights, int8_t *output, size_t pixels, size_t in_channels, size_t out_channels, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv8.2-a", "a32", "neon", "dotprod"]
stack     = 108
[args]
input        = { reg = "r0", read = "pixels*in_channels", layout = "hwc", dtype = "int8" }
weights      = { reg = "r1", read = "8*((out_channels+7)//8)*4*((in_channels+3)//4)", layout = "oc8_ic4", dtype = "int8", align = 4 }
output       = { reg = "r2", write = "pixels*out_channels", layout = "hwc", dtype = "int8" }
pixels       = { reg = "r3", range = [1, 1048576] }
in_channels  = { reg = "stack+0", range = [1, 65536] }
out_channels = { reg = "stack+4", range = [1, 65536] }
bias         = { reg = "stack+8", read = "4*8*((out_channels+7)//8)", layout = "oc8", dtype = "int32", range = [-536870912, 536870912] }
multipliers  = { reg = "stack+12", read = "4*8*((out_channels+7)//8)", layout = "oc8", dtype = "int32", range = [1073741824, 2147483647] }
shifts       = { reg = "stack+16", read = "4*8*((out_channels+7)//8)", layout = "oc8", dtype = "int32", range = [-31, 7] }
range        = { reg = "stack+20", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// The loops, the tile and the layout of the weights are those of conv1x1_s8s32_hwc_4x8_dotprod; here the sums start from
// the bias and leave as int8.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each output channel, filled up to 8 as the weights are.
//
// A zero point of the input, z, is the bias's business: bias[o] - z * sum_i weights[o][i]. The weights have none.
//
// Any int8 will do: the sums stay below 65536 * 128 * 128 + 2^29 < 2^31.
// Why the weights are aligned: vldm faults on an address that is no multiple of 4.
//
// Cost of the hot loop, per 4 pixels x 8 output channels x 16 input channels = 512 MACs: 40 instructions, 0.0781 per
// MAC, as without requantization, 25 % above its floor of 32. Around it a tile costs 82 instructions, 61 of them to
// turn 32 sums into 32 int8: 29 to scale, 20 to narrow and add the zero point, 4 to clamp, the rest to load what that
// takes.

    .syntax unified
    .arch   armv8.2-a
    .fpu    neon-fp-armv8
    .arch_extension dotprod
    .arm
    .text

in0          .req r0        // pixel 0 of the tile, walks along the input channels
w            .req r1
out0         .req r2        // output of pixel 0, walks along the output channels
in1          .req r3
in2          .req r4
in3          .req r5
out1         .req r6
out2         .req r7
out3         .req r8
in_channels  .req r9
channels     .req r10       // input channels left, counts down
left         .req r11       // output channels left, counts down
pixels       .req r12       // left, counts down; outside the loop over output channels
at           .req r12
pitch        .req lr        // out_channels; outside the loop over output channels
done         .req lr        // 4 * output channels done

// The frame, from sp upwards. It need not be a multiple of 8: nothing is called from here.
#define WEIGHTS      0
#define PIXELS       4      /* pixels left */
#define LOCALS       8
#define FRAME        108    /* LOCALS, d8-d15, r4-r11 and lr */
#define IN_CHANNELS  FRAME
#define OUT_CHANNELS (FRAME + 4)
#define BIAS         (FRAME + 8)
#define MULTIPLIERS  (FRAME + 12)
#define SHIFTS       (FRAME + 16)
#define RANGE        (FRAME + 20)

#include "include/conv1x1_hwc_4x8_dotprod.inc"
#include "include/requantize_ruy.inc"
#include "include/requantized_tile_4x8.inc"

.macro set_pitch
    mov     pitch, left
.endm

    .p2align 4
    .global conv1x1_s8s8_hwc_4x8_dotprod_ruy
    .type   conv1x1_s8s8_hwc_4x8_dotprod_ruy, %function
conv1x1_s8s8_hwc_4x8_dotprod_ruy:
    push    {r4-r11, lr}
    vpush   {d8-d15}
    sub     sp, sp, #LOCALS
    mov     pixels, r3
    str     r1, [sp, #WEIGHTS]
    ldr     in_channels, [sp, #IN_CHANNELS]
    conv1x1_hwc_4x8
    add     sp, sp, #LOCALS
    vpop    {d8-d15}
    pop     {r4-r11, pc}
    .size   conv1x1_s8s8_hwc_4x8_dotprod_ruy, . - conv1x1_s8s8_hwc_4x8_dotprod_ruy

    .section .note.GNU-stack,"",%progbits
