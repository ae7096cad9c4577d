/*toml
extends = "pool_2x2s2_hwc_1x16.inc"
summary = "output = the mean of 2 x 2 pixels, rounded to the nearest, ties away from zero, stride 2, HWC"
*/

// height and width are those of the output; the window is inside the input. Scale and zero point stay; the mean is that
// of the raw numbers, rounded as TFLite does.
//
// A sum s of four fits int16. rshrn by 2 rounds ties upward, so a negative sum is lowered by 1 first, which moves ties
// alone.
//
// Cost of the hot loop, per 1 pixel x 16 channels = 16 elements: 4 loads, 6 to add, 4 to round and narrow, 1 store, 2
// for the loop = 17 instructions, 1.062 per element. The floor is 15: all but the loop's.

#define KERNEL avgpool2x2s2_s8s8_hwc_1x16

.macro walk form, lane
.Lpixel_\@:                                         // 17 instructions, a pixel of the output
    ld1     {v0.\form}\lane, [in0], channels
    ld1     {v1.\form}\lane, [in0], channels
    ld1     {v2.\form}\lane, [in1], channels
    ld1     {v3.\form}\lane, [in1], channels
    subs    count, count, #1
    saddl   v4.8h, v0.8b, v1.8b
    saddl2  v5.8h, v0.16b, v1.16b
    saddl   v6.8h, v2.8b, v3.8b
    saddl2  v7.8h, v2.16b, v3.16b
    add     v4.8h, v4.8h, v6.8h
    add     v5.8h, v5.8h, v7.8h
    ssra    v4.8h, v4.8h, #15
    ssra    v5.8h, v5.8h, #15
    rshrn   v4.8b, v4.8h, #2
    rshrn2  v4.16b, v5.8h, #2
    st1     {v4.\form}\lane, [out], channels
    b.ne    .Lpixel_\@
.endm

#include "pool_2x2s2_hwc_1x16.inc"
