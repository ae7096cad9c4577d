/*toml
summary   = "output = the mean of 2 x 2 pixels, rounded to the nearest, ties away from zero, stride 2, HWC"
prototype = "void (const int8_t *input, int8_t *output, size_t height, size_t width, size_t channels, ptrdiff_t input_pitch, ptrdiff_t output_pitch)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
input        = { reg = "x0", read = { rows = "2*height", bytes = "2*width*channels", pitch = "input_pitch" }, layout = "hwc", dtype = "int8" }
output       = { reg = "x1", write = { rows = "height", bytes = "width*channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "x2", range = [1, 65536] }
width        = { reg = "x3", range = [1, 65536] }
channels     = { reg = "x4", range = [1, 65536] }
input_pitch  = { reg = "x5", range = [-1073741824, 1073741824] }
output_pitch = { reg = "x6", range = [-1073741824, 1073741824] }
*/

// height and width are those of the output; the window is inside the input. Scale and zero point stay; the mean is that
// of the raw numbers, rounded as TFLite does.
//
// A sum s of four fits int16. rshrn by 2 rounds ties upward, so a negative sum is lowered by 1 first, which moves ties
// alone.
//
// Cost of the hot loop, per 1 pixel x 16 channels = 16 elements: 4 loads, 6 to add, 4 to round and narrow, 1 store, 2
// for the loop = 17 instructions, 1.062 per element. The floor is 15: all but the loop's.

    .arch armv8-a
    .text

input        .req x0        // rows of the window
output       .req x1
height       .req x2        // counts down
width        .req x3
channels     .req x4        // also the bytes from one pixel to the next
input_pitch  .req x5        // bytes from one row to the next
output_pitch .req x6
row          .req x7        // where the channels begin
start        .req x8
in0          .req x9        // walk along the pixels
in1          .req x10
out          .req x12
count        .req x13       // pixels left, counts down
left         .req x14       // channels left, counts down

#include "../include/function.inc"
#include "pool.inc"

.macro walk form, lane
8:
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
    b.ne    8b
.endm

function avgpool2x2s2_s8s8_hwc_1x16
    pool
    ret
end_function avgpool2x2s2_s8s8_hwc_1x16
