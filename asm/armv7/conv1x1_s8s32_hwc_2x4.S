/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, sums kept in registers"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv7-a", "neon"]
stack     = 100
[args]
input        = { reg = "r0", read = "pixels*in_channels", layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "r1", read = "out_channels*in_channels", layout = "oc_ic", dtype = "int8", range = [-127, 127] }
output       = { reg = "r2", write = "4*pixels*out_channels", layout = "hwc", dtype = "int32" }
pixels       = { reg = "r3", range = [1, 1048576] }
in_channels  = { reg = "stack+0", range = [1, 65536] }
out_channels = { reg = "stack+4", range = [1, 65536] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// The loops, outermost first; the tile is 2 pixels x 4 output channels:
//
//     for each 2 pixels                     then the last one
//         for each 4 output channels        the last 1-3 as 4, of which 1-3 are stored
//             for each 32 input channels    then 16, then the last 0-15 in one go
//                 sums[2][4] += input[2][32] * weights[4][32]
//             output[2][4] = sums
//
// In HWC the input channels of a pixel lie side by side, as do those of a row of weights: both sides of the product
// load as they are, and nothing is copied across lanes before the end.
//
// The tile, and where it lives:
//
//                                32 weights of one output channel
//                                          +-------+
//                                channel 0 | q4 q5 |
//                                        1 | q4 q5 |
//                                        2 | q4 q5 |
//                                        3 | q4 q5 |
//                                          +-------+
//                    +-------+     +---------------------+
//            pixel 0 | q0 q1 |     | q8   q10  q12  q14  |        q6, q7: two products added, int16,
//                  1 | q2 q3 |     | q9   q11  q13  q15  |                on their way into the sums
//                    +-------+     +---------------------+
//           32 input channels       sums: 4 x int32 each, to be added up
//                                   across when all input channels are in
//
// All 16 registers are taken. A larger tile would not fit; 3 x 3 only 16 channels at a time, which takes more loads.
//
// Why weights lie in [-127, 127]: vmull and vmlal add two products in int16. -128 * -127 twice is 32512 and
// -128 * 127 twice is -32512, both int16; only -128 * -128 twice, 32768, is not. The int32 sums are safe:
// 65536 * 128 * 127 = 1 065 353 216.
//
// Cost of the hot loop, per 2 pixels x 4 output channels x 32 input channels = 256 MACs:
//     16 vmull, 16 vmlal, 16 vpadal, 6 loads of 32 bytes, 2 for the loop = 56 instructions, 0.219 per MAC.
// The floor is three instructions for 16 MACs, 48 or 0.1875 per MAC: 12 x 16 bytes cannot be loaded in less than 6.
// Around the hot loop a tile costs 37 instructions, whatever the number of input channels: 8 to clear the sums, 12 to
// add them up across, 2 to store them, the rest to move 6 pointers and to find that nothing is left over.
// The bytes: 192 loaded for 256 MACs, 4 stored for each output, once.
// No prefetch: 6 ascending streams, of which the weights come back from the cache for every 2 pixels.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

input        .req r0        // pixel 0 of the tile, walks along the input channels
weights      .req r1
store        .req r2        // output of pixel 0, walks along the output channels
pixels       .req r3        // counts down
in_channels  .req r4
out_channels .req r5
input1       .req r6
row0         .req r7        // row of weights, walks along the input channels
row1         .req r8
row2         .req r9
row3         .req r10
store1       .req r11
channels     .req r12       // input channels left, counts down
outputs      .req lr        // output channels left, counts down

#define FRAME 100           /* d8-d15, r4-r11 and lr: below the arguments on the stack */

// s[p] (4 x int32) += a[p] * w, 16 input channels in two halves, for every pixel p: 16 MACs in three instructions
.macro dot n, w, wh, a0, a0h, a1, a1h, s0, s1
    vmull.s8    q6, \a0, \w
  .if \n == 2
    vmull.s8    q7, \a1, \w
  .endif
    vmlal.s8    q6, \a0h, \wh
  .if \n == 2
    vmlal.s8    q7, \a1h, \wh
  .endif
    vpadal.s16  \s0, q6
  .if \n == 2
    vpadal.s16  \s1, q7
  .endif
.endm

// one output channel, 32 input channels: its weights come from [row]
.macro dot_32 n, row, s0, s1
    vld1.8      {d8, d9, d10, d11}, [\row]!
    dot         \n, d8, d9, d0, d1, d4, d5, \s0, \s1
    dot         \n, d10, d11, d2, d3, d6, d7, \s0, \s1
.endm

// all four output channels, 16 input channels: pixels in q0, q2, weights in q1, q3, q4, q5
.macro four_dots n
    dot         \n, d2, d3, d0, d1, d4, d5, q8, q9
    dot         \n, d6, d7, d0, d1, d4, d5, q10, q11
    dot         \n, d8, d9, d0, d1, d4, d5, q12, q13
    dot         \n, d10, d11, d0, d1, d4, d5, q14, q15
.endm

// the next 8 bytes of each pixel and of each row into the low halves of those registers
.macro load_8 n
    vld1.8      {d0}, [input]!
  .if \n == 2
    vld1.8      {d4}, [input1]!
  .endif
    vld1.8      {d2}, [row0]!
    vld1.8      {d6}, [row1]!
    vld1.8      {d8}, [row2]!
    vld1.8      {d10}, [row3]!
.endm

// the next 1, 2 or 4 bytes (size is the number of bits) into one lane of the high halves
.macro load_lanes n, size, lane
    vld1.\size  {d1[\lane]}, [input]!
  .if \n == 2
    vld1.\size  {d5[\lane]}, [input1]!
  .endif
    vld1.\size  {d3[\lane]}, [row0]!
    vld1.\size  {d7[\lane]}, [row1]!
    vld1.\size  {d9[\lane]}, [row2]!
    vld1.\size  {d11[\lane]}, [row3]!
.endm

// s (its halves s0, s1) = [sum of s, sum of t, sum of u, sum of v]: one pixel, one output channel in each lane
.macro add_across s0, s1, t0, t1, u0, u1, v0, v1
    vpadd.i32   \s0, \s0, \s1
    vpadd.i32   \s1, \t0, \t1
    vpadd.i32   \t0, \u0, \u1
    vpadd.i32   \t1, \v0, \v1
    vpadd.i32   \s0, \s0, \s1
    vpadd.i32   \s1, \t0, \t1
.endm

// 1 to 3 of the four lanes of s, as the lowest bits of outputs say
.macro store_some s0, s1, to
    tst         outputs, #2
    beq         1f
    vst1.32     {\s0}, [\to]!
    vmov        \s0, \s1
1:
    tst         outputs, #1
    beq         2f
    vst1.32     {\s0[0]}, [\to]!
2:
.endm

// output[n pixels][out_channels] = input[n pixels][in_channels] * weights, and on to the next n pixels
.macro some_pixels n
  .if \n == 2
    add     input1, input, in_channels
    add     store1, store, out_channels, lsl #2
  .endif
    mov     row0, weights
    mov     outputs, out_channels
10:                                                 // four output channels
    add     row1, row0, in_channels
    add     row2, row1, in_channels
    add     row3, row2, in_channels
    cmp     outputs, #4
    bhs     11f
    cmp     outputs, #2                             // rows that are not there: the last one again, and not stored
    movlo   row1, row0
    movls   row2, row1
    mov     row3, row2
11:
  .irp s, q8, q10, q12, q14
    vmov.i32 \s, #0
  .endr
  .if \n == 2
   .irp s, q9, q11, q13, q15
    vmov.i32 \s, #0
   .endr
  .endif
    subs    channels, in_channels, #32
    blo     13f
12:                                                 // n=2: 56 instructions, 256 MACs
    vld1.8  {d0, d1, d2, d3}, [input]!
  .if \n == 2
    vld1.8  {d4, d5, d6, d7}, [input1]!
  .endif
    subs    channels, channels, #32
    dot_32  \n, row0, q8, q9
    dot_32  \n, row1, q10, q11
    dot_32  \n, row2, q12, q13
    dot_32  \n, row3, q14, q15
    bhs     12b
13:
    tst     in_channels, #31
    beq     19f
    tst     in_channels, #16
    beq     14f
    vld1.8  {d0, d1}, [input]!
  .if \n == 2
    vld1.8  {d4, d5}, [input1]!
  .endif
    vld1.8  {d2, d3}, [row0]!
    vld1.8  {d6, d7}, [row1]!
    vld1.8  {d8, d9}, [row2]!
    vld1.8  {d10, d11}, [row3]!
    four_dots \n
14:
    tst     in_channels, #15
    beq     19f
  .irp a, q0, q1, q2, q3, q4, q5
    vmov.i32 \a, #0
  .endr
    tst     in_channels, #8
    beq     15f
    load_8  \n
15:
    tst     in_channels, #4
    beq     16f
    load_lanes \n, 32, 0
16:
    tst     in_channels, #2
    beq     17f
    load_lanes \n, 16, 2
17:
    tst     in_channels, #1
    beq     18f
    load_lanes \n, 8, 6
18:
    four_dots \n
19:
    add_across d16, d17, d20, d21, d24, d25, d28, d29
    sub     input, input, in_channels
  .if \n == 2
    add_across d18, d19, d22, d23, d26, d27, d30, d31
    sub     input1, input1, in_channels
  .endif
    subs    outputs, outputs, #4
    blo     20f
    vst1.32 {d16, d17}, [store]!
  .if \n == 2
    vst1.32 {d18, d19}, [store1]!
  .endif
    mov     row0, row3                              // the end of row 3 is the start of the next
    bhi     10b
    b       21f
20:
    add     outputs, outputs, #4
    store_some d16, d17, store
  .if \n == 2
    store_some d18, d19, store1
  .endif
21:
  .if \n == 2                                       // the end of pixel 1 is the start of the next
    add     input, input1, in_channels
    mov     store, store1
  .endif
.endm

    .p2align 4
    .global conv1x1_s8s32_hwc_2x4
    .type   conv1x1_s8s32_hwc_2x4, %function
conv1x1_s8s32_hwc_2x4:
    push    {r4-r11, lr}
    vpush   {d8-d15}
    ldr     in_channels, [sp, #FRAME]
    ldr     out_channels, [sp, #(FRAME + 4)]

    subs    pixels, pixels, #2
    blo     .Lone
.Ltwo:
    some_pixels 2
    subs    pixels, pixels, #2
    bhs     .Ltwo
.Lone:
    tst     pixels, #1                              // -2 or -1 are left
    beq     .Ldone
    some_pixels 1
.Ldone:
    vpop    {d8-d15}
    pop     {r4-r11, pc}
    .size   conv1x1_s8s32_hwc_2x4, . - conv1x1_s8s32_hwc_2x4

    .section .note.GNU-stack,"",%progbits
