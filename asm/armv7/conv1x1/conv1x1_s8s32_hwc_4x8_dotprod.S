/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, weights packed, vsdot by element"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv8.2-a", "a32", "neon", "dotprod"]
stack     = 172
[args]
input        = { reg = "r0", read = "pixels*in_channels", layout = "hwc", dtype = "int8" }
weights      = { reg = "r1", read = "8*((out_channels+7)//8)*4*((in_channels+3)//4)", layout = "oc8_ic4", dtype = "int8", align = 4 }
output       = { reg = "r2", write = "4*pixels*out_channels", layout = "hwc", dtype = "int32" }
pixels       = { reg = "r3", range = [1, 1048576] }
in_channels  = { reg = "stack+0", range = [1, 131071] }
out_channels = { reg = "stack+4", range = [1, 65536] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// For AArch32 on a core of ARMv8.2 that has the dot product instructions, Cortex-A55 and A76 for instance.
//
// The loops, outermost first; the tile is 4 pixels x 8 output channels:
//
//     for each 4 pixels                     the last 1-3 as 4, of which 1-3 are stored
//         for each 8 output channels        the last 1-7 as 8, of which 1-7 are stored
//             for each 16 input channels    then 8, 4, and the last 1-3 in one go
//                 sums[4][8] += input[4][16] * weights[8][16]
//             output[4][8] = sums
//
// The input is read as it lies in HWC: the input channels of a pixel side by side. The weights lie in panels of 8
// output channels, the last filled up with zeros; within a panel 4 input channels of the first output channel, 4 of the
// second and so on, then the next 4 input channels, the last of them filled up with zeros.
//
// The tile, and where it lives. A register of weights holds 4 input channels of 4 output channels, half a register of
// the input 8 input channels of a pixel. vsdot by element multiplies 4 output channels by 4 of those 8, and adds up the
// 4:
//
//                                4 input channels of 8 output channels
//                                     +-----+-----+
//                                     | q4  | q5  |    q6 q7 for the next 4, in turn
//                                     +-----+-----+
//                        +-------+    +-----+-----+
//                pixel 0 | d0 d1 |    | q8  | q9  |
//                      1 | d2 d3 |    | q10 | q11 |
//                      2 | d4 d5 |    | q12 | q13 |
//                      3 | d6 d7 |    | q14 | q15 |
//                        +-------+    +-----+-----+
//                16 input channels      sums, int32
//
// All 16 registers are taken. Sums of 5 x 8 or 4 x 12 leave room for no more than 8 input channels at a time, which
// takes more loads than they save.
//
// Any int8 will do: no sum of products wraps, as 131071 * 128 * 128 = 2 147 467 264 is the last below 2^31.
// Why the weights are aligned: vldm faults on an address that is no multiple of 4.
//
// Cost of the hot loop, per 4 pixels x 8 output channels x 16 input channels = 512 MACs:
//     32 vsdot, 4 vld1, 2 vldm, 2 for the loop = 40 instructions, 0.0781 per MAC.
// The floor is one vsdot for 16 MACs, 32 or 0.0625 per MAC: 4 pixels that do not lie together take 4 loads. Around the
// hot loop a tile costs 17 instructions, whatever the number of input channels: 2 to clear the sums (by loads of zeros,
// as the loads have the time), 4 to store them, the rest to move 4 pointers back and to find that nothing is left over.
// The bytes: 192 loaded for 512 MACs, 4 stored for each output, once.
// No prefetch: 5 ascending streams, of which the weights come back from the cache for every 4 pixels.

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
pitch        .req lr        // 4 * out_channels; outside the loop over output channels

// The frame, from sp upwards. It need not be a multiple of 8: nothing is called from here.
#define ZEROS        0      /* 64 bytes: what the sums start from */
#define WEIGHTS      64
#define PIXELS       68     /* pixels left */
#define LOCALS       72
#define FRAME        172    /* LOCALS, d8-d15, r4-r11 and lr */
#define IN_CHANNELS  FRAME
#define OUT_CHANNELS (FRAME + 4)

#include "../include/function.inc"
#include "conv1x1_hwc_4x8_dotprod.inc"

.macro set_pitch
    lsl     pitch, left, #2
.endm
#include "../include/sums_of_tile_4x8.inc"

function conv1x1_s8s32_hwc_4x8_dotprod
    save_all
    sub     sp, sp, #LOCALS
    mov     pixels, r3
    str     r1, [sp, #WEIGHTS]
    vmov.i32 q0, #0
    vmov.i32 q1, #0
    add     r4, sp, #ZEROS
    vst1.32 {d0, d1, d2, d3}, [r4]!
    vst1.32 {d0, d1, d2, d3}, [r4]
    ldr     in_channels, [sp, #IN_CHANNELS]

    conv1x1_hwc_4x8
    add     sp, sp, #LOCALS
    restore_all_and_return
end_function conv1x1_s8s32_hwc_4x8_dotprod
