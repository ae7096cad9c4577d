/*toml
extends = "pool_3x3_hwc.inc"
summary = "output = the greatest of 3 x 3 pixels, stride 2, a pixel of padding where asked for, HWC"
stack   = 68
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

#define FRAME        68     /* LOCALS, r4-r11 and lr */
#define STRIDE 2
#include "pool_3x3_hwc.inc"

.macro start_row
.endm

// a (halves a0, a1) = the greatest of the next column
.macro load_column n, a, a0, a1
    load    \n, \a0, \a1, in0, step0
    load    \n, d2, d3, in1, channels
    load    \n, d4, d5, in2, step2
    vmax.s8 \a, \a, q1
    vmax.s8 \a, \a, q2
.endm

.macro walk n
    vmov.i8 q8, #128                                // the first column
    ldr     at, [sp, #LEFT]
    cmp     at, #0
    bne     .Lfirst_column_done_\@
    load_column \n, q8, d16, d17
.Lfirst_column_done_\@:
    cmp     count, #0
    beq     .Lno_more_\@
.Lpixel_\@:                                         // 15 instructions, a pixel of the output
    load    \n, d0, d1, in0, step0
    load    \n, d2, d3, in1, channels
    load    \n, d4, d5, in2, step2
    load    \n, d6, d7, in0, step0
    load    \n, d18, d19, in1, channels
    load    \n, d20, d21, in2, step2
    subs    count, count, #1
    vmax.s8 q0, q0, q1
    vmax.s8 q3, q3, q9
    vmax.s8 q0, q0, q2
    vmax.s8 q0, q8, q0
    vmax.s8 q8, q3, q10
    vmax.s8 q0, q0, q8
    store   \n, d0, d1
    bne     .Lpixel_\@
.Lno_more_\@:
    ldr     at, [sp, #RIGHT]
    cmp     at, #0
    beq     .Lrow_done_\@
    load_column \n, q0, d0, d1                      // the last window has two columns
    vmax.s8 q0, q0, q8
    store   \n, d0, d1
.Lrow_done_\@:
.endm

function maxpool3x3s2_s8s8_hwc_1x16
    push    {r4-r11, lr}
    sub     sp, sp, #LOCALS
    add     at, sp, #INPUT
    stm     at, {r0-r3}
    vmov.i8 q0, #128
    vst1.8  {d0, d1}, [sp]
    ldr     channels, [sp, #CHANNELS]
    pool
    add     sp, sp, #LOCALS
    pop     {r4-r11, pc}
end_function maxpool3x3s2_s8s8_hwc_1x16
