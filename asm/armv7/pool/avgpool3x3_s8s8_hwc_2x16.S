/*toml
extends = "pool_3x3_hwc.inc"
summary = "output = the mean of 3 x 3 pixels, rounded to the nearest, ties away from zero, a pixel of padding where asked for, which does not count, HWC"
*/

// height and width are those of the output; top, left, bottom and right say whether the windows reach a pixel beyond
// the image there. What is beyond does not count, as in TFLite: the mean is that of the 9, 6 or 4 pixels that there are
// (or of 3, 2 or 1, where the image has no more). Scale and zero point stay; the mean is that of the raw numbers,
// rounded to the nearest, ties away from zero.
//
// Columns are summed once, for three windows. Of two pixels side by side, whose columns are a, b, c and b, c, d, the
// sums are (a + b) + c and (b + c) + d; c + d and d are what the next two need.
//
// The division: a sum s of n pixels becomes t = s * 72/n + 36 * 257, less 1 where s < 0. t/72 is s/n + 128 + 1/2, less
// a little where that moves a tie away from zero; t > 0, so cutting it off rounds it. t < 2^15; and t * 7282 / 2^19,
// which vqdmulh and vshrn compute, is t/72 as far as that goes: 7282 is 2^19/72 and 0.22 more, which adds less than
// 1/72.
//
// Cost of the hot loop, per 2 pixels x 16 channels = 32 elements: 6 loads, 8 to sum columns, 8 to sum them up, 22 to
// divide, 2 stores, 2 for the loop = 48 instructions, 1.500 per element. The floor is 46: all but the loop's.

#define FRAME        84     /* LOCALS, d8, d9, r4-r11 and lr */
#define STRIDE 1
#include "pool_3x3_hwc.inc"

twelfth      .req lr        // 12 / rows of the window

// Registers: q14 = 72 / pixels of the window, q15 = 36 * 257, d6[0] = 7282, q4 = -128 in 8 bits.

// 12 / 3, 12 / 2 or 12
.macro start_row
    is_row_below
    add     at, at, above
    cmp     at, #1
    mov     twelfth, #4
    moveq   twelfth, #6
    movhi   twelfth, #12
.endm

// windows of so many columns
.macro set_columns n
  .if \n == 3
    lsl     at, twelfth, #1
  .else
    add     at, twelfth, twelfth, lsl #1
   .if \n == 1
    lsl     at, at, #1
   .endif
  .endif
    vdup.16 q14, at
.endm

// lo, hi (16 bits) = the sums of the next column
.macro load_column n, lo, hi
    load    \n, d0, d1, in0, step0
    load    \n, d2, d3, in1, channels
    load    \n, d4, d5, in2, step2
    vaddl.s8 \lo, d0, d2
    vaddl.s8 \hi, d1, d3
    vaddw.s8 \lo, \lo, d4
    vaddw.s8 \hi, \hi, d5
.endm

// the next pixel of the output = the mean of the window whose sums are lo, hi
.macro store_mean n, lo, hi
    vmul.i16 q1, \lo, q14
    vmul.i16 q2, \hi, q14
    vsra.s16 q1, \lo, #15
    vsra.s16 q2, \hi, #15
    vadd.i16 q1, q1, q15
    vadd.i16 q2, q2, q15
    vqdmulh.s16 q1, q1, d6[0]
    vqdmulh.s16 q2, q2, d6[0]
    vshrn.i16 d0, q1, #4
    vshrn.i16 d1, q2, #4
    veor    q0, q0, q4
    store   \n, d0, d1
.endm

// one window: q12, q13 = its first two columns, q8, q9 the second of them
.macro one_window n
    load_column \n, q10, q11
    vadd.i16 q1, q12, q10
    vadd.i16 q2, q13, q11
    vadd.i16 q12, q8, q10
    vadd.i16 q13, q9, q11
    vmov    q8, q10
    vmov    q9, q11
    vmov    q10, q1
    vmov    q11, q2
    store_mean \n, q10, q11
.endm

.macro walk n
    vmov.i32 q12, #0
    vmov.i32 q13, #0
    ldr     at, [sp, #LEFT]
    cmp     at, #0
    bne     .Lfirst_column_done_\@
    load_column \n, q12, q13
.Lfirst_column_done_\@:
    load_column \n, q8, q9
    vadd.i16 q12, q12, q8
    vadd.i16 q13, q13, q9
    cmp     count, #0
    beq     .Lno_more_\@
    ldr     at, [sp, #LEFT]
    cmp     at, #0
    beq     .Lwhole_windows_\@
    set_columns 2
    one_window \n
    sub     count, count, #1
.Lwhole_windows_\@:
    set_columns 3
    subs    count, count, #2
    blo     .Lfewer_than_two_\@
.Ltwo_pixels_\@:                                    // 2 pixels, 48 instructions
    load_column \n, q10, q11
    vadd.i16 q12, q12, q10
    vadd.i16 q13, q13, q11
    store_mean \n, q12, q13
    vadd.i16 q12, q8, q10                           // columns b and c
    vadd.i16 q13, q9, q11
    load_column \n, q8, q9                          // d
    vadd.i16 q12, q12, q8
    vadd.i16 q13, q13, q9
    store_mean \n, q12, q13
    vadd.i16 q12, q10, q8
    subs    count, count, #2
    vadd.i16 q13, q11, q9
    bhs     .Ltwo_pixels_\@
.Lfewer_than_two_\@:
    tst     count, #1
    beq     .Lno_more_\@
    one_window \n
.Lno_more_\@:
    ldr     at, [sp, #RIGHT]
    cmp     at, #0
    beq     .Lrow_done_\@
    set_columns 2                                   // the last window has no third one
    ldr     count, [sp, #WIDTH]
    ldr     at, [sp, #LEFT]
    sub     count, count, #1
    cmp     count, at
    bhs     .Lcolumns_set_\@
    set_columns 1
.Lcolumns_set_\@:
    store_mean \n, q12, q13
.Lrow_done_\@:
.endm

function avgpool3x3_s8s8_hwc_2x16
    push    {r4-r11, lr}
    vpush   {d8, d9}
    sub     sp, sp, #LOCALS
    add     at, sp, #INPUT
    stm     at, {r0-r3}
    movw    at, #9252
    vdup.16 q15, at
    movw    at, #7282
    vdup.16 d6, at
    vmov.i8 q4, #128
    vmov.i32 q0, #0
    vst1.8  {d0, d1}, [sp]
    ldr     channels, [sp, #CHANNELS]
    pool
    add     sp, sp, #LOCALS
    vpop    {d8, d9}
    pop     {r4-r11, pc}
end_function avgpool3x3_s8s8_hwc_2x16
