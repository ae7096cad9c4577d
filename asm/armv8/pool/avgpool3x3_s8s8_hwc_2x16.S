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
// which sqdmulh and shrn compute, is t/72 as far as that goes: 7282 is 2^19/72 and 0.22 more, which adds less than
// 1/72.
//
// Cost of the hot loop, per 2 pixels x 16 channels = 32 elements: 6 loads, 8 to sum columns, 8 to sum them up, 22 to
// divide, 2 stores, 2 for the loop = 48 instructions, 1.500 per element. The floor is 46: all but the loop's.

#define STRIDE 1
#include "pool_3x3_hwc.inc"

k            .req v22       // 72 / pixels of the window, 16 bits
offset       .req v23       // 36 * 257
factor       .req v24       // 7282
sign         .req v25       // -128, 8 bits
twelfth      .req x23       // 12 / rows of the window

// 12 / 3, 12 / 2 or 12
.macro start_row
    sub     count, height, #1
    cmp     count, below
    cset    edge, lo                                // below is beyond the image
    add     count, edge, above
    mov     twelfth, #4
    mov     edge, #6
    cmp     count, #1
    csel    twelfth, edge, twelfth, eq
    mov     edge, #12
    csel    twelfth, edge, twelfth, hi
.endm

// windows of so many columns
.macro set_columns n
  .if \n == 3
    lsl     edge, twelfth, #1
  .elseif \n == 2
    add     edge, twelfth, twelfth, lsl #1
  .else
    add     edge, twelfth, twelfth, lsl #1
    lsl     edge, edge, #1
  .endif
    dup     k.8h, w22                               // edge
.endm

// lo, hi (16 bits) = the sums of the next column
.macro load_column form, lane, lo, hi
    load_row_0 \form, \lane, v0
    load_row_1 \form, \lane, v1
    load_row_2 \form, \lane, v2
    saddl   \lo\().8h, v0.8b, v1.8b
    saddl2  \hi\().8h, v0.16b, v1.16b
    saddw   \lo\().8h, \lo\().8h, v2.8b
    saddw2  \hi\().8h, \hi\().8h, v2.16b
.endm

// the next pixel of the output = the mean of the window whose sums are lo, hi
.macro store_mean form, lane, lo, hi
    mul     v4.8h, \lo\().8h, k.8h
    mul     v5.8h, \hi\().8h, k.8h
    ssra    v4.8h, \lo\().8h, #15
    ssra    v5.8h, \hi\().8h, #15
    add     v4.8h, v4.8h, offset.8h
    add     v5.8h, v5.8h, offset.8h
    sqdmulh v4.8h, v4.8h, factor.8h
    sqdmulh v5.8h, v5.8h, factor.8h
    shrn    v4.8b, v4.8h, #4
    shrn2   v4.16b, v5.8h, #4
    eor     v4.16b, v4.16b, sign.16b
    st1     {v4.\form}\lane, [out], channels
.endm

// one window: v20, v21 = its first two columns, v16, v17 the second of them
.macro one_window form, lane
    load_column \form, \lane, v18, v19
    add     v6.8h, v20.8h, v18.8h
    add     v7.8h, v21.8h, v19.8h
    add     v20.8h, v16.8h, v18.8h
    add     v21.8h, v17.8h, v19.8h
    mov     v16.16b, v18.16b
    mov     v17.16b, v19.16b
    store_mean \form, \lane, v6, v7
.endm

.macro walk form, lane
    movi    v20.4s, #0
    movi    v21.4s, #0
    cbnz    before, .Lfirst_column_done_\@
    load_column \form, \lane, v20, v21
.Lfirst_column_done_\@:
    load_column \form, \lane, v16, v17
    add     v20.8h, v20.8h, v16.8h
    add     v21.8h, v21.8h, v17.8h
    cbz     count, .Lno_more_\@
    cbz     before, .Lwhole_windows_\@
    set_columns 2
    one_window \form, \lane
    sub     count, count, #1
.Lwhole_windows_\@:
    set_columns 3
    subs    count, count, #2
    b.lo    .Lfewer_than_two_\@
.Ltwo_pixels_\@:                                    // 2 pixels, 48 instructions
    load_column \form, \lane, v18, v19
    add     v6.8h, v20.8h, v18.8h
    add     v7.8h, v21.8h, v19.8h
    add     v26.8h, v16.8h, v18.8h
    add     v27.8h, v17.8h, v19.8h
    load_column \form, \lane, v16, v17
    store_mean \form, \lane, v6, v7
    add     v6.8h, v26.8h, v16.8h
    add     v7.8h, v27.8h, v17.8h
    add     v20.8h, v18.8h, v16.8h
    add     v21.8h, v19.8h, v17.8h
    subs    count, count, #2
    store_mean \form, \lane, v6, v7
    b.hs    .Ltwo_pixels_\@
.Lfewer_than_two_\@:
    tbz     count, #0, .Lno_more_\@
    one_window \form, \lane
.Lno_more_\@:
    cbz     after, .Lrow_done_\@
    set_columns 2                                   // the last window has no third one
    sub     edge, width, #1
    cmp     edge, before
    b.hs    .Lcolumns_set_\@
    set_columns 1
.Lcolumns_set_\@:
    store_mean \form, \lane, v20, v21
.Lrow_done_\@:
.endm

function avgpool3x3_s8s8_hwc_2x16
    stp     x19, x20, [sp, #-48]!
    stp     x21, x22, [sp, #16]
    ldp     before, below, [sp, #48]
    ldr     after, [sp, #64]
    str     x23, [sp, #32]
    mov     w8, #9252
    dup     offset.8h, w8
    mov     w8, #7282
    dup     factor.8h, w8
    movi    sign.16b, #128
    movi    v0.4s, #0
    sub     sp, sp, #16
    str     q0, [sp]
    pool
    add     sp, sp, #16
    ldr     x23, [sp, #32]
    ldp     x21, x22, [sp, #16]
    ldp     x19, x20, [sp], #48
    ret
end_function avgpool3x3_s8s8_hwc_2x16
