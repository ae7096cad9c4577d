/*toml
summary   = "output = the mean of each channel over all pixels, rounded to the nearest, ties away from zero, HWC"
prototype = "void (const int8_t *input, int8_t *output, size_t pixels, size_t channels, ptrdiff_t pitch)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
input    = { reg = "x0", read = { rows = "pixels", bytes = "channels", pitch = "pitch" }, layout = "hwc", dtype = "int8" }
output   = { reg = "x1", write = "channels", layout = "hwc", dtype = "int8" }
pixels   = { reg = "x2", range = [1, 65536] }
channels = { reg = "x3", range = [1, 1048576] }
pitch    = { reg = "x4", range = [-1048576, 1048576] }
*/

// The mean of the raw numbers over all pixels, rounded as TFLite does; scale and zero point stay.
//
// Sums of 252 pixels fit int16, 252 * 128 < 2^15; then they are added to those in int32. The division is in float32:
// sums of up to 65536 * 128 = 2^23 are exact there. A quotient that is no tie lies at least 1 / 2^17 away from one, and
// below 128 float32 rounds by at most 1 / 2^18: so no quotient becomes a tie by rounding, and a tie stays one. fcvtas
// rounds to the nearest, ties away from zero.
//
// The loops:
//
//     for each 16 channels                  then for 8, 4, 2 and 1, as there are left
//         for each 252 pixels
//             for each 4 pixels             then for each of the last 1-3
//
// Cost of the hot loop, per 4 pixels x 16 channels = 64 elements: 4 loads, 8 to add, 2 for the loop = 14 instructions,
// 0.219 per element. The floor is 12: all but the loop's.

    .arch armv8-a
    .text

#include "../include/function.inc"
#include "channels.inc"

input        .req x0        // where the channels begin
output       .req x1
pixels       .req x2
left         .req x3        // channels left, counts down
pitch        .req x4        // bytes from one pixel to the next
in           .req x5        // walks along the pixels
rest         .req x6        // pixels left
some         .req x7        // pixels whose sums fit int16, counts down
most         .req x8

divisor      .req v20       // the pixels, as float32

// v4, v5 (8 x int16 each) += 16 channels of the next pixel
.macro add_pixel form, lane
    ld1     {v0.\form}\lane, [in], pitch
    saddw   v4.8h, v4.8h, v0.8b
    saddw2  v5.8h, v5.8h, v0.16b
.endm

// output[bytes] = the means of as many channels, which load into `form` at `lane`; input is on the next
.macro pool bytes, form, lane
    mov     in, input
    mov     rest, pixels
    movi    v0.16b, #0
    movi    v16.4s, #0
    movi    v17.4s, #0
    movi    v18.4s, #0
    movi    v19.4s, #0
.Lsums_in_int16_\@:
    cmp     rest, most
    csel    some, rest, most, lo
    sub     rest, rest, some
    movi    v4.8h, #0
    movi    v5.8h, #0
    subs    some, some, #4
    b.lo    .Lfewer_than_four_\@
.Lfour_pixels_\@:                                   // 14 instructions, 4 pixels
    subs    some, some, #4
    add_pixel \form, \lane
    add_pixel \form, \lane
    add_pixel \form, \lane
    add_pixel \form, \lane
    b.hs    .Lfour_pixels_\@
.Lfewer_than_four_\@:
    adds    some, some, #4
    b.eq    .Lwiden_sums_\@
.Lone_pixel_\@:
    subs    some, some, #1
    add_pixel \form, \lane
    b.ne    .Lone_pixel_\@
.Lwiden_sums_\@:
    saddw   v16.4s, v16.4s, v4.4h
    saddw2  v17.4s, v17.4s, v4.8h
    saddw   v18.4s, v18.4s, v5.4h
    saddw2  v19.4s, v19.4s, v5.8h
    cbnz    rest, .Lsums_in_int16_\@
    mean    v16
    mean    v17
    mean    v18
    mean    v19
    xtn     v0.4h, v16.4s
    xtn2    v0.8h, v17.4s
    xtn     v1.4h, v18.4s
    xtn2    v1.8h, v19.4s
    xtn     v0.8b, v0.8h
    xtn2    v0.16b, v1.8h
    st1     {v0.\form}\lane, [output], #\bytes
    add     input, input, #\bytes
.endm

// x = x / pixels, rounded
.macro mean x
    scvtf   \x\().4s, \x\().4s
    fdiv    \x\().4s, \x\().4s, divisor.4s
    fcvtas  \x\().4s, \x\().4s
.endm

function globalpool_s8s8_hwc_4x16
    mov     most, #252
    dup     divisor.4s, w2
    scvtf   divisor.4s, divisor.4s
    by_channels pool, left, left
    ret
end_function globalpool_s8s8_hwc_4x16
