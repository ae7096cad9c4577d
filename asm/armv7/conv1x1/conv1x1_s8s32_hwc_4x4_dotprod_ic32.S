/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, up to 32 input channels, weights in registers, vsdot by element"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv8.2-a", "a32", "neon", "dotprod"]
stack     = 160
[args]
input        = { reg = "r0", read = "pixels*in_channels", over_read = 31, layout = "hwc", dtype = "int8" }
weights      = { reg = "r1", read = "4*((out_channels+3)//4)*32", layout = "oc4_ic4_of32", dtype = "int8" }
output       = { reg = "r2", write = "4*pixels*out_channels", layout = "hwc", dtype = "int32" }
pixels       = { reg = "r3", range = [1, 1048576] }
in_channels  = { reg = "stack+0", range = [1, 32] }
out_channels = { reg = "stack+4", range = [1, 65536] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// For AArch32 on a core of ARMv8.2 that has the dot product instructions, Cortex-A55 and A76 for instance.
//
// The loops, outermost first:
//
//     for each 128 pixels                   then the rest: so many stay in the first level
//         for each 4 output channels        the last 1-3 as 4, of which 1-3 are stored
//             for each 4 pixels             then the last 0-3 one at a time
//                 output[4][4] = input[4][32] * weights[4][32]
//
// For layers with few input channels, whose sums are done as soon as begun: conv1x1_s8s32_hwc_4x8_dotprod loads its
// weights again for every 4 pixels, and moves 9 pointers for 1024 products. Here it is the weights that stay, and a pixel
// is one load. They lie in panels of 4 output channels, the last filled up with zeros: 4 input channels of the first, 4 of
// the second and so on, then the next 4, up to 32, filled up with zeros too, so that what is loaded behind a pixel of fewer
// counts for nothing; of the last pixel that may be up to 31 bytes behind the input.
//
// Where the tile lives. A register of weights holds 4 input channels of 4 output channels, half a register of the input 8
// input channels of a pixel. vsdot by element multiplies 4 output channels by 4 of those 8, and adds up the 4:
//
//                               32 input channels, 4 a register
//                                   +----+----+-----+-----+
//              4 output channels    | q8 | q9 | ... | q15 |
//                                   +----+----+-----+-----+
//                   +-------+          +----+
//           pixel 0 | q0 q1 |          | q4 |
//                 1 | q2 q3 |          | q5 |
//                 2 | q0 q1 |          | q6 |      the second two take turns with the first two
//                 3 | q2 q3 |          | q7 |
//                   +-------+          +----+
//          32 input channels            sums
//
// All 16 registers are taken.
//
// Any int8 will do: 32 * 128 * 128 is far below 2^31.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 32 input channels = 512 MACs:
//     32 vsdot, 4 vld1, 1 vldm of zeros, 4 vst1, 2 for the loop = 43 instructions, 0.0840 per MAC.
// The floor is one vsdot for 16 MACs, 32 or 0.0625 per MAC; 5 more are what sums cost that start and leave after 32 input
// channels, in any order. Around the hot loop 4 output channels of 128 pixels cost 18 instructions, 4 of them to load
// weights.
// The bytes: 192 loaded for 512 MACs, a third of them zeros for the sums to start from, 4 stored for each output, once.

    .syntax unified
    .arch   armv8.2-a
    .fpu    neon-fp-armv8
    .arch_extension dotprod
    .arm
    .text

input        .req r0        // first pixel of the strip
weights      .req r1
output       .req r2        // of the strip's first pixel
pixels       .req r3        // left, counts down
in_channels  .req r4        // also the bytes from one pixel to the next
pitch        .req r5        // 4 * output channels
in           .req r6        // walks along the pixels
out          .req r7
out0         .req r8        // output channel 0 of the panel, of the strip's first pixel
w            .req r9
left         .req r10       // output channels left, counts down
count        .req r11       // pixels left in the strip, counts down
at           .req r12

// The frame, from sp upwards: 64 bytes of zeros, what the sums start from; then what is saved.
#define LOCALS       64
#define FRAME        160    /* LOCALS, d8-d15, r4-r11: below the arguments on the stack */
#define IN_CHANNELS  FRAME
#define OUT_CHANNELS (FRAME + 4)
#define STRIP        128

#include "../include/function.inc"
#include "../include/rows_of_c.inc"

// s (4 output channels) += 16 input channels of a pixel, in a and b, * w0-w3: 64 MACs in 4 instructions
.macro dots_of_16 s, a, b, w0, w1, w2, w3
    vsdot.s8 \s, \w0, \a[0]
    vsdot.s8 \s, \w1, \a[1]
    vsdot.s8 \s, \w2, \b[0]
    vsdot.s8 \s, \w3, \b[1]
.endm

// the same for two pixels in turn, so that no instruction waits for the one before it
.macro dots_of_two_16 s, t, a0, b0, a1, b1, w0, w1, w2, w3
    vsdot.s8 \s, \w0, \a0[0]
    vsdot.s8 \t, \w0, \a1[0]
    vsdot.s8 \s, \w1, \a0[1]
    vsdot.s8 \t, \w1, \a1[1]
    vsdot.s8 \s, \w2, \b0[0]
    vsdot.s8 \t, \w2, \b1[0]
    vsdot.s8 \s, \w3, \b0[1]
    vsdot.s8 \t, \w3, \b1[1]
.endm

// s, t = the sums of two pixels, which were zero
.macro two_pixels s, t
    vld1.8  {d0, d1, d2, d3}, [in], in_channels
    vld1.8  {d4, d5, d6, d7}, [in], in_channels
    dots_of_two_16 \s, \t, d0, d1, d4, d5, q8, q9, q10, q11
    dots_of_two_16 \s, \t, d2, d3, d6, d7, q12, q13, q14, q15
.endm

.macro store_whole s0, s1
    vst1.32 {\s0, \s1}, [out], pitch
.endm

// 1 to 3 of the 4, as the lowest bits of left say
.macro store_part s0, s1
    mov     at, out
    store_some at, \s0, \s1
    add     out, out, pitch
.endm

// the strip's pixels, 4 output channels
.macro pixels_of_strip store
    subs    count, count, #4
    blo     12f
11:                                                 // 43 instructions, 512 MACs
    vldmia  sp, {d8-d15}
    two_pixels q4, q5
    two_pixels q6, q7
    \store  d8, d9
    \store  d10, d11
    \store  d12, d13
    \store  d14, d15
    subs    count, count, #4
    bhs     11b
12:
    adds    count, count, #4
    beq     14f
13:
    vmov.i32 q4, #0
    vld1.8  {d0, d1, d2, d3}, [in], in_channels
    dots_of_16 q4, d0, d1, q8, q9, q10, q11
    dots_of_16 q4, d2, d3, q12, q13, q14, q15
    \store  d8, d9
    subs    count, count, #1
    bne     13b
14:
.endm

function conv1x1_s8s32_hwc_4x4_dotprod_ic32
    push    {r4-r11}
    vpush   {d8-d15}
    sub     sp, sp, #LOCALS
    vmov.i32 q0, #0
    vmov.i32 q1, #0
    mov     r4, sp
    vst1.32 {d0, d1, d2, d3}, [r4]!
    vst1.32 {d0, d1, d2, d3}, [r4]
    ldr     in_channels, [sp, #IN_CHANNELS]
    ldr     pitch, [sp, #OUT_CHANNELS]
    lsl     pitch, pitch, #2
.Lstrip:
    mov     w, weights
    mov     out0, output
    ldr     left, [sp, #OUT_CHANNELS]
.Loutputs:
    vld1.8  {d16, d17, d18, d19}, [w]!
    vld1.8  {d20, d21, d22, d23}, [w]!
    vld1.8  {d24, d25, d26, d27}, [w]!
    vld1.8  {d28, d29, d30, d31}, [w]!
    mov     in, input
    mov     out, out0
    cmp     pixels, #STRIP
    movlo   count, pixels
    movhs   count, #STRIP
    add     out0, out0, #16
    subs    left, left, #4
    blo     .Lpart
    pixels_of_strip store_whole
    cmp     left, #0
    bne     .Loutputs
    b       .Lnext
.Lpart:                                             // -3 to -1 are left, whose lowest bits are those of 1 to 3
    pixels_of_strip store_part
.Lnext:                                             // after its last pixel stands the next strip
    mov     input, in
    add     output, output, pitch, lsl #7
    subs    pixels, pixels, #STRIP
    bhi     .Lstrip
    add     sp, sp, #LOCALS
    vpop    {d8-d15}
    pop     {r4-r11}
    bx      lr
end_function conv1x1_s8s32_hwc_4x4_dotprod_ic32
