/*toml
extends = "pool_2x2s2_hwc_1x16.inc"
summary = "output = the mean of 2 x 2 pixels, rounded to the nearest, ties away from zero, stride 2, HWC"
*/

// height and width are those of the output; the window is inside the input. Scale and zero point stay; the mean is that
// of the raw numbers, rounded as TFLite does.
//
// A sum s of four fits int16. vrshrn by 2 rounds ties upward, so a negative sum is lowered by 1 first, which moves ties
// alone.
//
// Cost of the hot loop, per 1 pixel x 16 channels = 16 elements: 4 loads, 6 to add, 4 to round and narrow, 1 store, 2
// for the loop = 17 instructions, 1.062 per element. The floor is 15: all but the loop's.

#define KERNEL avgpool2x2s2_s8s8_hwc_1x16

.macro walk n
.Lpixel_\@:                                         // 17 instructions, a pixel of the output
    load    \n, d0, d1, in0, channels
    load    \n, d2, d3, in0, channels
    load    \n, d4, d5, in1, channels
    load    \n, d6, d7, in1, channels
    subs    count, count, #1
    vaddl.s8 q8, d0, d2
    vaddl.s8 q9, d1, d3
    vaddl.s8 q10, d4, d6
    vaddl.s8 q11, d5, d7
    vadd.i16 q8, q8, q10
    vadd.i16 q9, q9, q11
    vsra.s16 q8, q8, #15
    vsra.s16 q9, q9, #15
    vrshrn.i16 d0, q8, #2
    vrshrn.i16 d1, q9, #2
    store   \n, d0, d1
    bne     .Lpixel_\@
.endm

#include "pool_2x2s2_hwc_1x16.inc"
