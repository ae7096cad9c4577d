/*toml
summary   = "output[p][o] = sum_i weights[o][i] * input[p][i], int8 x int8 -> int32, HWC, up to 32 input channels, weights in registers"
prototype = "void (const int8_t *input, const int8_t *weights, int32_t *output, size_t pixels, size_t in_channels, size_t out_channels)"
isa       = ["armv8.0-a", "neon"]
stack     = 64
[args]
input        = { reg = "x0", read = "pixels*in_channels", over_read = 31, layout = "hwc", dtype = "int8", range = [-128, 127] }
weights      = { reg = "x1", read = "8*((out_channels+7)//8)*32", layout = "oc8_ic32", dtype = "int8", range = [-127, 127] }
output       = { reg = "x2", write = "4*pixels*out_channels", layout = "hwc", dtype = "int32" }
pixels       = { reg = "x3", range = [1, 1048576] }
in_channels  = { reg = "x4", range = [1, 32] }
out_channels = { reg = "x5", range = [1, 65536] }
[counts]
macs = "pixels*in_channels*out_channels"
*/

// The loops, outermost first:
//
//     for each 128 pixels                   then the rest: so many stay in the first level
//         for each 8 output channels        the last 1-7 as 8, of which 1-7 are stored
//             for each 2 pixels             then the last one
//                 output[2][8] = input[2][32] * weights[8][32]
//
// For layers with few input channels, whose sums are done as soon as begun: conv1x1_s8s32_hwc_4x4 loads its weights again
// for every 4 pixels, and moves 8 pointers for 512 products. Here it is the weights that stay, and a pixel is two loads.
// They lie in panels of 8 output channels, the last filled up with zeros: 32 input channels of each, filled up with zeros
// too, so that what is loaded behind a pixel of fewer counts for nothing; of the last pixel that may be up to 31 bytes
// behind the input.
//
// Where the tile lives:
//
//                                         32 weights
//                                        +-----------+
//                       output channel 0 | v16  v17  |
//                                      1 | v18  v19  |
//                                        |    ...    |
//                                      7 | v30  v31  |
//                                        +-----------+
//                    +-------+           +-----------+
//            pixel 0 | v0 v1 |           |  v8-v15   |       v4-v7: two products added, int16,
//                  1 | v2 v3 |           | (in turn) |              on their way into the sums
//                    +-------+           +-----------+
//           32 input channels       sums of an output channel: 4 x int32,
//                                   added up across at once
//
// Why weights lie in [-127, 127]: smull and smlal2 add two products in int16. -128 * -127 twice is 32512 and
// -128 * 127 twice is -32512, both int16; only -128 * -128 twice, 32768, is not.
//
// Cost of the hot loop, per 2 pixels x 8 output channels x 32 input channels = 512 MACs:
//     32 smull, 32 smlal2, 32 saddlp and sadalp, 12 addp, 2 ld1, 2 st1, 2 for the loop = 114 instructions, 0.223 per MAC.
// The floor is three instructions for 16 MACs, 96 or 0.1875 per MAC; 16 more are what comes after 32 input channels in any
// order: to add 4 sums of 4 up across takes 3 addp. Around the hot loop 8 output channels of 128 pixels cost 14
// instructions, 4 of them to load weights.
// The bytes: 64 loaded for 512 MACs, 4 stored for each output, once.

    .arch armv8-a
    .text

input        .req x0        // first pixel of the strip
weights      .req x1
output       .req x2        // of the strip's first pixel
pixels       .req x3        // left, counts down
in_channels  .req x4        // also the bytes from one pixel to the next
out_channels .req x5
pitch        .req x6        // 4 * out_channels
in           .req x7        // walks along the pixels
out          .req x8
out0         .req x9        // output channel 0 of the panel, of the strip's first pixel
w            .req x10
left         .req x11       // output channels left, counts down
count        .req x12       // pixels left in the strip, counts down
strip        .req x13       // pixels in the strip
at           .req x14

#define STRIP 128

#include "../include/function.inc"
#include "../include/rows_of_c.inc"

// s0-s3 (4 x int32 each) = a, ah (32 input channels of a pixel) * w0-w3, their upper halves h0-h3: 128 MACs
.macro four_outputs a, ah, w0, h0, w1, h1, w2, h2, w3, h3, s0, s1, s2, s3
    half_of_four saddlp, \a, \w0, \w1, \w2, \w3, \s0, \s1, \s2, \s3
    half_of_four sadalp, \ah, \h0, \h1, \h2, \h3, \s0, \s1, \s2, \s3
.endm

// 16 of them; saddlp starts the sums, sadalp adds to them
.macro half_of_four op, a, w0, w1, w2, w3, s0, s1, s2, s3
    smull   v4.8h, \a\().8b, \w0\().8b
    smull   v5.8h, \a\().8b, \w1\().8b
    smull   v6.8h, \a\().8b, \w2\().8b
    smull   v7.8h, \a\().8b, \w3\().8b
    smlal2  v4.8h, \a\().16b, \w0\().16b
    smlal2  v5.8h, \a\().16b, \w1\().16b
    smlal2  v6.8h, \a\().16b, \w2\().16b
    smlal2  v7.8h, \a\().16b, \w3\().16b
    \op     \s0\().4s, v4.8h
    \op     \s1\().4s, v5.8h
    \op     \s2\().4s, v6.8h
    \op     \s3\().4s, v7.8h
.endm

// one pixel, in a and ah: v8, v9 = the sums of 8 output channels, and out they go
.macro one_pixel store, a, ah
    four_outputs \a, \ah, v16, v17, v18, v19, v20, v21, v22, v23, v8, v9, v10, v11
    four_outputs \a, \ah, v24, v25, v26, v27, v28, v29, v30, v31, v12, v13, v14, v15
    addp    v8.4s, v8.4s, v9.4s
    addp    v10.4s, v10.4s, v11.4s
    addp    v12.4s, v12.4s, v13.4s
    addp    v14.4s, v14.4s, v15.4s
    addp    v8.4s, v8.4s, v10.4s
    addp    v9.4s, v12.4s, v14.4s
    \store
.endm

.macro store_whole
    st1     {v8.4s, v9.4s}, [out], pitch
.endm

// 1 to 7 of the 8, as the lowest bits of left say
.macro store_part
    mov     at, out
    tbz     left, #2, 3f
    st1     {v8.4s}, [at], #16
    mov     v8.16b, v9.16b
3:
    store_some at, v8
    add     out, out, pitch
.endm

// the strip's pixels, 8 output channels
.macro pixels_of_strip store
    subs    count, count, #2
    b.lo    12f
11:                                                 // 114 instructions, 512 MACs
    ld1     {v0.16b, v1.16b}, [in], in_channels
    ld1     {v2.16b, v3.16b}, [in], in_channels
    one_pixel \store, v0, v1
    subs    count, count, #2
    one_pixel \store, v2, v3
    b.hs    11b
12:
    tbz     count, #0, 13f                          // -2 or -1 are left
    ld1     {v0.16b, v1.16b}, [in], in_channels
    one_pixel \store, v0, v1
13:
.endm

function conv1x1_s8s32_hwc_2x8_ic32
    save_vectors 64
    lsl     pitch, out_channels, #2
.Lstrip:
    mov     strip, #STRIP
    cmp     pixels, strip
    csel    strip, pixels, strip, lo
    mov     w, weights
    mov     out0, output
    mov     left, out_channels
.Loutputs:
    ld1     {v16.16b, v17.16b, v18.16b, v19.16b}, [w], #64
    ld1     {v20.16b, v21.16b, v22.16b, v23.16b}, [w], #64
    ld1     {v24.16b, v25.16b, v26.16b, v27.16b}, [w], #64
    ld1     {v28.16b, v29.16b, v30.16b, v31.16b}, [w], #64
    mov     in, input
    mov     out, out0
    mov     count, strip
    add     out0, out0, #32
    subs    left, left, #8
    b.lo    .Lpart
    pixels_of_strip store_whole
    cbnz    left, .Loutputs
    b       .Lnext
.Lpart:                                             // -7 to -1 are left, whose lowest bits are those of 1 to 7
    pixels_of_strip store_part
.Lnext:
    madd    input, strip, in_channels, input
    madd    output, strip, pitch, output
    subs    pixels, pixels, strip
    b.ne    .Lstrip
    ldp     d14, d15, [sp, #48]
    ldp     d12, d13, [sp, #32]
    ldp     d10, d11, [sp, #16]
    ldp     d8, d9, [sp], #64
    ret
end_function conv1x1_s8s32_hwc_2x8_ic32
