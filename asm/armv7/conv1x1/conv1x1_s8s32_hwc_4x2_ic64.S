/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, up to 64 input channels, weights in registers"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv7-a", "neon"]
stack     = 96
[args]
input        = { reg = "r0", read = "pixels*in_channels", over_read = 63, layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "r1", read = "2*((out_channels+1)//2)*64", layout = "oc2_ic64", dtype = "int8", range = [-127, 127] }
output       = { reg = "r2", write = "4*pixels*out_channels", layout = "hwc", dtype = "int32" }
pixels       = { reg = "r3", range = [1, 1048576] }
in_channels  = { reg = "stack+0", range = [1, 64] }
out_channels = { reg = "stack+4", range = [1, 65536] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// The loops, outermost first:
//
//     for each 128 pixels                   then the rest: so many stay in the first level
//         for each 2 output channels        the last one as 2, of which it is stored
//             for each 4 pixels             then the last 0-3 one at a time
//                 output[4][2] = input[4][64] * weights[2][64]
//
// For layers of 33 to 64 input channels, as conv1x1_s8s32_hwc_4x4_ic32 is for fewer: the weights stay, and a pixel is two
// loads. They lie in panels of 2 output channels, the last filled up with zeros: 64 input channels of each, filled up with
// zeros too, so that what is loaded behind a pixel of fewer counts for nothing; of the last pixel that may be up to 63
// bytes behind the input.
//
// Where the tile lives:
//
//                                               64 weights
//                                        +-----------------------+
//                       output channel 0 | q8    q9    q10   q11 |
//                                      1 | q12   q13   q14   q15 |
//                                        +-----------------------+
//            +-------------+                   +--------+
//    a pixel | q0 q1 q2 q3 |                   | q6, q7 |          q4, q5: two products added, int16,
//            +-------------+                   +--------+                  on their way into the sums
//           64 input channels       sums of an output channel: 4 x int32,
//                                   added up across at once
//
// Why weights lie in [-127, 127]: vmull and vmlal add two products in int16. -128 * -127 twice is 32512 and
// -128 * 127 twice is -32512, both int16; only -128 * -128 twice, 32768, is not.
//
// Cost of the hot loop, per 4 pixels x 2 output channels x 64 input channels = 512 MACs:
//     32 vmull, 32 vmlal, 32 vpaddl and vpadal, 12 vpadd, 8 vld1, 4 vst1, 2 for the loop = 122 instructions, 0.238 per
//     MAC.
// The floor is three instructions for 16 MACs, 96 or 0.1875 per MAC. Around the hot loop 2 output channels of 128 pixels
// cost 18 instructions, 4 of them to load weights.
// The bytes: 256 loaded for 512 MACs, 4 stored for each output, once.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

#include "../include/function.inc"

input        .req r0        // first pixel of the strip
weights      .req r1
output       .req r2        // of the strip's first pixel
pixels       .req r3        // left, counts down
in_channels  .req r4
pitch        .req r5        // 4 * output channels
in           .req r6        // walks along the pixels
out          .req r7
out0         .req r8        // output channel 0 of the panel, of the strip's first pixel
w            .req r9
left         .req r10       // output channels left, counts down
count        .req r11       // pixels left in the strip, counts down
step         .req r12       // from the second half of a pixel to the next pixel

#define FRAME        96     /* d8-d15, r4-r11: below the arguments on the stack */
#define IN_CHANNELS  FRAME
#define OUT_CHANNELS (FRAME + 4)
#define STRIP        128

// q6, q7 (the sums of an output channel each) (op)= 16 input channels, a and ah, * v and w, by halves too: 32 MACs
.macro quarter op, a, ah, v, vh, w, wh
    vmull.s8 q4, \a, \v
    vmull.s8 q5, \a, \w
    vmlal.s8 q4, \ah, \vh
    vmlal.s8 q5, \ah, \wh
    \op\().s16 q6, q4
    \op\().s16 q7, q5
.endm

// one pixel, in q0-q3: d12 = the sums of 2 output channels, and out they go
.macro one_pixel store
    vld1.8  {d0, d1, d2, d3}, [in]!
    vld1.8  {d4, d5, d6, d7}, [in], step
    quarter vpaddl, d0, d1, d16, d17, d24, d25
    quarter vpadal, d2, d3, d18, d19, d26, d27
    quarter vpadal, d4, d5, d20, d21, d28, d29
    quarter vpadal, d6, d7, d22, d23, d30, d31
    vpadd.i32 d12, d12, d13
    vpadd.i32 d14, d14, d15
    vpadd.i32 d12, d12, d14
    \store
.endm

.macro store_whole
    vst1.32 {d12}, [out], pitch
.endm

// the first of the 2
.macro store_part
    vst1.32 {d12[0]}, [out], pitch
.endm

// the strip's pixels, 2 output channels
.macro pixels_of_strip store
    subs    count, count, #4
    blo     12f
11:                                                 // 130 instructions, 512 MACs
   .rept 4
    one_pixel \store
   .endr
    subs    count, count, #4
    bhs     11b
12:
    adds    count, count, #4
    beq     14f
13:
    one_pixel \store
    subs    count, count, #1
    bne     13b
14:
.endm

function conv1x1_s8s32_hwc_4x2_ic64
    push    {r4-r11}
    vpush   {d8-d15}
    ldr     in_channels, [sp, #IN_CHANNELS]
    ldr     pitch, [sp, #OUT_CHANNELS]
    lsl     pitch, pitch, #2
    sub     step, in_channels, #32
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
    add     out0, out0, #8
    subs    left, left, #2
    blo     .Lpart
    pixels_of_strip store_whole
    cmp     left, #0
    bne     .Loutputs
    b       .Lnext
.Lpart:                                             // one is left
    pixels_of_strip store_part
.Lnext:                                             // after its last pixel stands the next strip
    mov     input, in
    add     output, output, pitch, lsl #7
    subs    pixels, pixels, #STRIP
    bhi     .Lstrip
    vpop    {d8-d15}
    pop     {r4-r11}
    bx      lr
end_function conv1x1_s8s32_hwc_4x2_ic64
