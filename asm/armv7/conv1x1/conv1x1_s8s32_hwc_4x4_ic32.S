/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, up to 32 input channels, weights in registers"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv7-a", "neon"]
stack     = 96
[args]
input        = { reg = "r0", read = "pixels*in_channels", over_read = 31, layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "r1", read = "4*((out_channels+3)//4)*32", layout = "oc4_ic32", dtype = "int8", range = [-127, 127] }
output       = { reg = "r2", write = "4*pixels*out_channels", layout = "hwc", dtype = "int32" }
pixels       = { reg = "r3", range = [1, 1048576] }
in_channels  = { reg = "stack+0", range = [1, 32] }
out_channels = { reg = "stack+4", range = [1, 65536] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// The loops, outermost first:
//
//     for each 128 pixels                   then the rest: so many stay in the first level
//         for each 4 output channels        the last 1-3 as 4, of which 1-3 are stored
//             for each 4 pixels             then the last 0-3 one at a time
//                 output[4][4] = input[4][32] * weights[4][32]
//
// For layers with few input channels, whose sums are done as soon as begun: conv1x1_s8s32_hwc_2x4 loads its weights again
// for every 2 pixels, and moves 6 pointers for 256 products. Here it is the weights that stay, and a pixel is one load.
// They lie in panels of 4 output channels, the last filled up with zeros: 32 input channels of each, filled up with zeros
// too, so that what is loaded behind a pixel of fewer counts for nothing; of the last pixel that may be up to 31 bytes
// behind the input.
//
// Where the tile lives:
//
//                                         32 weights
//                                        +-----------+
//                       output channel 0 | q8   q9   |
//                                      1 | q10  q11  |
//                                      2 | q12  q13  |
//                                      3 | q14  q15  |
//                                        +-----------+
//                    +-------+           +-----------+
//            a pixel | q0 q1 |           |   q4-q7   |       q2, q3: two products added, int16,
//                    +-------+           +-----------+               on their way into the sums
//           32 input channels       sums of an output channel: 4 x int32,
//                                   added up across at once
//
// Why weights lie in [-127, 127]: vmull and vmlal add two products in int16. -128 * -127 twice is 32512 and
// -128 * 127 twice is -32512, both int16; only -128 * -128 twice, 32768, is not.
//
// Cost of the hot loop, per 4 pixels x 4 output channels x 32 input channels = 512 MACs:
//     32 vmull, 32 vmlal, 32 vpaddl and vpadal, 24 vpadd, 4 vld1, 4 vst1, 2 for the loop = 130 instructions, 0.254 per
//     MAC.
// The floor is three instructions for 16 MACs, 96 or 0.1875 per MAC; 28 more are what comes after 32 input channels in any
// order: to add 4 sums of 4 up across takes 6 vpadd. Around the hot loop 4 output channels of 128 pixels cost 18
// instructions, 4 of them to load weights.
// The bytes: 128 loaded for 512 MACs, 4 stored for each output, once.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
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

#define FRAME        96     /* d8-d15, r4-r11: below the arguments on the stack */
#define IN_CHANNELS  FRAME
#define OUT_CHANNELS (FRAME + 4)
#define STRIP        128

#include "../include/function.inc"
#include "../include/rows_of_c.inc"

// s, t (4 x int32 each) (op)= half of a pixel's 32 input channels, a and ah, * v and w, by halves too: 32 MACs
.macro half_of_two op, a, ah, v, vh, w, wh, s, t
    vmull.s8 q2, \a, \v
    vmull.s8 q3, \a, \w
    vmlal.s8 q2, \ah, \vh
    vmlal.s8 q3, \ah, \wh
    \op\().s16 \s, q2
    \op\().s16 \t, q3
.endm

// one pixel, in q0 and q1: d8, d9 = the sums of 4 output channels, and out they go
.macro one_pixel store
    vld1.8  {d0, d1, d2, d3}, [in], in_channels
    half_of_two vpaddl, d0, d1, d16, d17, d20, d21, q4, q5
    half_of_two vpaddl, d0, d1, d24, d25, d28, d29, q6, q7
    half_of_two vpadal, d2, d3, d18, d19, d22, d23, q4, q5
    half_of_two vpadal, d2, d3, d26, d27, d30, d31, q6, q7
    vpadd.i32 d8, d8, d9
    vpadd.i32 d10, d10, d11
    vpadd.i32 d12, d12, d13
    vpadd.i32 d14, d14, d15
    vpadd.i32 d8, d8, d10
    vpadd.i32 d9, d12, d14
    \store
.endm

.macro store_whole
    vst1.32 {d8, d9}, [out], pitch
.endm

// 1 to 3 of the 4, as the lowest bits of left say
.macro store_part
    mov     at, out
    store_some at, d8, d9
    add     out, out, pitch
.endm

// the strip's pixels, 4 output channels
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

function conv1x1_s8s32_hwc_4x4_ic32
    push    {r4-r11}
    vpush   {d8-d15}
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
    vpop    {d8-d15}
    pop     {r4-r11}
    bx      lr
end_function conv1x1_s8s32_hwc_4x4_ic32
