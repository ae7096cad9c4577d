/*toml
extends = "pool_3x3_hwc.inc"
summary = "output = the greatest of 3 x 3 pixels, stride 2, a pixel of padding where asked for, HWC"
[args]
input = { read = { rows = "2*height+1-top-bottom", bytes = "(2*width+1-left-right)*channels" } }
*/

// height and width are those of the output; top, left, bottom and right say whether the windows reach a pixel beyond
// the image there. What is beyond never wins: it is the lowest value, 16 bytes of the frame in place of a row.
//
// Two windows side by side share a column of three pixels, whose greatest is kept: so a pixel of the output takes two
// new columns, 6 loads and 6 comparisons where 9 and 8 would be needed afresh. Rows could share too, but their greatest
// would have to be stored in between.
//
// Cost of the hot loop, per 1 pixel x 16 channels = 16 elements: 6 loads, 6 to compare, 1 store, 2 for the loop = 15
// instructions, 0.938 per element. The floor is 13: all but the loop's.

#define STRIDE 2
#include "pool_3x3_hwc.inc"

.macro start_row
.endm

// a = the greatest of the next column
.macro load_column form, lane, a, b, c
    load_row_0 \form, \lane, \a
    load_row_1 \form, \lane, \b
    load_row_2 \form, \lane, \c
    smax    \a\().16b, \a\().16b, \b\().16b
    smax    \a\().16b, \a\().16b, \c\().16b
.endm

.macro walk form, lane
    ldr     q16, [edge]                             // the first column
    cbnz    before, .Lfirst_column_done_\@
    load_column \form, \lane, v16, v1, v2
.Lfirst_column_done_\@:
    cbz     count, .Lno_more_\@
.Lpixel_\@:                                         // 15 instructions, a pixel of the output
    load_row_0 \form, \lane, v0
    load_row_1 \form, \lane, v1
    load_row_2 \form, \lane, v2
    load_row_0 \form, \lane, v3
    load_row_1 \form, \lane, v4
    load_row_2 \form, \lane, v5
    subs    count, count, #1
    smax    v0.16b, v0.16b, v1.16b
    smax    v3.16b, v3.16b, v4.16b
    smax    v0.16b, v0.16b, v2.16b
    smax    v6.16b, v16.16b, v0.16b
    smax    v16.16b, v3.16b, v5.16b
    smax    v6.16b, v6.16b, v16.16b
    st1     {v6.\form}\lane, [out], channels
    b.ne    .Lpixel_\@
.Lno_more_\@:
    cbz     after, .Lrow_done_\@
    load_column \form, \lane, v0, v1, v2            // the last window has two columns
    smax    v0.16b, v0.16b, v16.16b
    st1     {v0.\form}\lane, [out]
.Lrow_done_\@:
.endm

function maxpool3x3s2_s8s8_hwc_1x16
    stp     x19, x20, [sp, #-48]!
    stp     x21, x22, [sp, #16]
    ldp     before, below, [sp, #48]
    ldr     after, [sp, #64]
    movi    v0.16b, #128
    sub     sp, sp, #16
    str     q0, [sp]
    pool
    add     sp, sp, #16
    ldp     x21, x22, [sp, #16]
    ldp     x19, x20, [sp], #48
    ret
end_function maxpool3x3s2_s8s8_hwc_1x16
