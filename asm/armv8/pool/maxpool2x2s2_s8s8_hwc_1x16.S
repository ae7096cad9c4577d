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

.macro walk form, lane
.Lpixel_\@:                                         // 10 instructions, a pixel of the output
    ld1     {v0.\form}\lane, [in0], channels
    ld1     {v1.\form}\lane, [in0], channels
    ld1     {v2.\form}\lane, [in1], channels
    ld1     {v3.\form}\lane, [in1], channels
    subs    count, count, #1
    smax    v0.16b, v0.16b, v1.16b
    smax    v2.16b, v2.16b, v3.16b
    smax    v0.16b, v0.16b, v2.16b
    st1     {v0.\form}\lane, [out], channels
    b.ne    .Lpixel_\@
.endm

#include "pool_2x2s2_hwc_1x16.inc"
