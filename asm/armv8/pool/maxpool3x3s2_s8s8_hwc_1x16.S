/*toml
summary   = "output = the greatest of 3 x 3 pixels, stride 2, a pixel of padding where asked for, HWC"
prototype = "void (const int8_t *input, int8_t *output, size_t height, size_t width, size_t channels, ptrdiff_t input_pitch, ptrdiff_t output_pitch, size_t top, size_t left, size_t bottom, size_t right)"
isa       = ["armv8.0-a", "neon"]
stack     = 64
[args]
input        = { reg = "x0", read = { rows = "2*height+1-top-bottom", bytes = "(2*width+1-left-right)*channels", pitch = "input_pitch" }, layout = "hwc", dtype = "int8" }
output       = { reg = "x1", write = { rows = "height", bytes = "width*channels", pitch = "output_pitch" }, layout = "hwc", dtype = "int8" }
height       = { reg = "x2", range = [1, 65536] }
width        = { reg = "x3", range = [1, 65536] }
channels     = { reg = "x4", range = [1, 65536] }
input_pitch  = { reg = "x5", range = [-1073741824, 1073741824] }
output_pitch = { reg = "x6", range = [-1073741824, 1073741824] }
top          = { reg = "x7", range = [0, 1] }
left         = { reg = "stack+0", range = [0, 1] }
bottom       = { reg = "stack+8", range = [0, 1] }
right        = { reg = "stack+16", range = [0, 1] }
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

    .arch armv8-a
    .text

input        .req x0        // middle row of the window
output       .req x1
height       .req x2        // counts down
width        .req x3
channels     .req x4        // also the bytes from one pixel to the next
input_pitch  .req x5        // bytes from one row to the next
output_pitch .req x6
above        .req x7        // pixels beyond the image: of the row at hand
row          .req x8        // where the channels begin
start        .req x9
in0          .req x10       // walk along the pixels
in1          .req x11
in2          .req x12
out          .req x13
count        .req x14       // pixels left, counts down
rest         .req x15       // channels left, counts down
step0        .req x16       // from one pixel of row 0 to the next, 0 where the row is not there
step2        .req x17       // the same of row 2
before       .req x19       // pixels beyond the image on the left, below, and on the right
below        .req x20
after        .req x21
edge         .req x22       // 16 bytes that make no difference

#define STRIDE 2

#include "../include/function.inc"
#include "pool3x3.inc"

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
    cbnz    before, 8f
    load_column \form, \lane, v16, v1, v2
8:
    cbz     count, 10f
9:
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
    b.ne    9b
10:
    cbz     after, 11f
    load_column \form, \lane, v0, v1, v2            // the last window has two columns
    smax    v0.16b, v0.16b, v16.16b
    st1     {v0.\form}\lane, [out]
11:
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
