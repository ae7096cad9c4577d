/*toml
summary   = "output = the mean of each channel over all pixels, rounded to the nearest, ties away from zero, HWC"
prototype = "void (const int8_t *input, int8_t *output, size_t pixels, size_t channels, ptrdiff_t pitch)"
isa       = ["armv7-a", "neon"]
stack     = 24
[args]
input    = { reg = "r0", read = { rows = "pixels", bytes = "channels", pitch = "pitch" }, layout = "hwc", dtype = "int8" }
output   = { reg = "r1", write = "channels", layout = "hwc", dtype = "int8" }
pixels   = { reg = "r2", range = [1, 65536] }
channels = { reg = "r3", range = [1, 1048576] }
pitch    = { reg = "stack+0", range = [-1048576, 1048576] }
*/

// The mean of the raw numbers over all pixels, rounded as TFLite does; scale and zero point stay.
//
// Sums of 252 pixels fit int16, 252 * 128 < 2^15; then they are added to those in int32. The division is in float32:
// sums of up to 65536 * 128 = 2^23 are exact there. A quotient that is no tie lies at least 1 / 2^17 away from one, and
// below 128 float32 rounds by at most 1 / 2^18: so no quotient becomes a tie by rounding, and a tie stays one. ARMv7's
// NEON does not divide: VFP does, one channel at a time, which reaches s0-s31 alone, q0-q7. vcvt cuts off: the number
// below 0.5 with the sign of the quotient is added before, which carries a tie to the next integer and nothing less.
//
// The loops:
//
//     for each 16 channels                  then for 8, 4, 2 and 1, as there are left
//         for each 252 pixels
//             for each 4 pixels             then for each of the last 1-3
//
// Registers: d16-d23 pixels, q12, q13 the sums in int16, q0-q3 in int32, d8 the number of pixels as float32.
//
// Cost of the hot loop, per 4 pixels x 16 channels = 64 elements: 4 loads, 8 to add, 2 for the loop = 14 instructions,
// 0.219 per element. The floor is 12: all but the loop's.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

#include "../include/function.inc"
#include "channels.inc"

input        .req r0        // where the channels begin
output       .req r1
pixels       .req r2
left         .req r3        // channels left, counts down
pitch        .req r4        // bytes from one pixel to the next
in           .req r5        // walks along the pixels
rest         .req r6        // pixels left
some         .req r12       // pixels whose sums fit int16, counts down

// q12, q13 += a, b
.macro add_pixel a, b
    vaddw.s8 q12, q12, \a
    vaddw.s8 q13, q13, \b
.endm

// x = x / pixels
.macro divide x
    vdiv.f32 \x, \x, s16
.endm

// x = x rounded: q10 the sign bits, q11 the number below 0.5
.macro round x
    vand    q9, \x, q10
    vorr    q9, q9, q11
    vadd.f32 \x, \x, q9
    vcvt.s32.f32 \x, \x
.endm

// output[n] = the means of n channels; input is on the next
.macro pool n
    mov     in, input
    mov     rest, pixels
    vmov.i8 q8, #0
    vmov.i8 q9, #0
    vmov.i8 q10, #0
    vmov.i8 q11, #0
    vmov.i32 q0, #0
    vmov.i32 q1, #0
    vmov.i32 q2, #0
    vmov.i32 q3, #0
.Lsums_in_int16_\@:
    cmp     rest, #252
    movlo   some, rest
    movhs   some, #252
    sub     rest, rest, some
    vmov.i16 q12, #0
    vmov.i16 q13, #0
    subs    some, some, #4
    blo     .Lfewer_than_four_\@
.Lfour_pixels_\@:                                   // 14 instructions, 4 pixels
    load    \n, d16, d17, in, pitch
    load    \n, d18, d19, in, pitch
    load    \n, d20, d21, in, pitch
    load    \n, d22, d23, in, pitch
    subs    some, some, #4
    add_pixel d16, d17
    add_pixel d18, d19
    add_pixel d20, d21
    add_pixel d22, d23
    bhs     .Lfour_pixels_\@
.Lfewer_than_four_\@:
    adds    some, some, #4
    beq     .Lwiden_sums_\@
.Lone_pixel_\@:
    load    \n, d16, d17, in, pitch
    subs    some, some, #1
    add_pixel d16, d17
    bne     .Lone_pixel_\@
.Lwiden_sums_\@:
    vaddw.s16 q0, q0, d24
    vaddw.s16 q1, q1, d25
    vaddw.s16 q2, q2, d26
    vaddw.s16 q3, q3, d27
    cmp     rest, #0
    bne     .Lsums_in_int16_\@
    vcvt.f32.s32 q0, q0
    vcvt.f32.s32 q1, q1
    vcvt.f32.s32 q2, q2
    vcvt.f32.s32 q3, q3
    .irp s, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    divide  s\s
    .endr
    vmov.i32 q10, #0x80000000
    vmvn.i32 q11, #0xC1000000                       // 0x3EFFFFFF
    round   q0
    round   q1
    round   q2
    round   q3
    vmovn.i32 d0, q0
    vmovn.i32 d1, q1
    vmovn.i32 d4, q2
    vmovn.i32 d5, q3
    vmovn.i16 d0, q0
    vmovn.i16 d1, q2
  .if \n == 16
    vst1.8  {d0, d1}, [output]!
  .elseif \n == 8
    vst1.8  {d0}, [output]!
  .elseif \n == 4
    vst1.32 {d0[0]}, [output]!
  .elseif \n == 2
    vst1.16 {d0[0]}, [output]!
  .else
    vst1.8  {d0[0]}, [output]!
  .endif
    add     input, input, #\n
.endm

function globalpool_s8s8_hwc_4x16
    push    {r4-r7}
    vpush   {d8}
    ldr     pitch, [sp, #24]
    vmov    s16, pixels
    vcvt.f32.s32 s16, s16
    by_channels pool, left, left
    vpop    {d8}
    pop     {r4-r7}
    bx      lr
end_function globalpool_s8s8_hwc_4x16
