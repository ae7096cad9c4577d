/*toml
extends = "pool_2x2s2_hwc_1x16.inc"
summary = "output = the greatest of 2 x 2 pixels, stride 2, HWC"
*/

// height and width are those of the output; the window is inside the input. For padding, pad_s8s8_rows_64 comes first,
// with the lowest value, which never wins.
//
// Cost of the hot loop, per 1 pixel x 16 channels = 16 elements: 4 loads, 3 to compare, 1 store, 2 for the loop = 10
// instructions, 0.625 per element. The floor is 8: all but the loop's.

#define KERNEL maxpool2x2s2_s8s8_hwc_1x16

.macro walk n
.Lpixel_\@:                                         // 10 instructions, a pixel of the output
    load    \n, d0, d1, in0, channels
    load    \n, d2, d3, in0, channels
    load    \n, d4, d5, in1, channels
    load    \n, d6, d7, in1, channels
    subs    count, count, #1
    vmax.s8 q0, q0, q1
    vmax.s8 q2, q2, q3
    vmax.s8 q0, q0, q2
    store   \n, d0, d1
    bne     .Lpixel_\@
.endm

#include "pool_2x2s2_hwc_1x16.inc"
