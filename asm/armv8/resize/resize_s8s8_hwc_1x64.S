/*toml
summary   = "output[y][x] = the channels of input at rows[y] + columns[x] bytes, HWC: nearest pixels, any ratio"
prototype = "void (const int8_t *input, int8_t *output, const int32_t *rows, const int32_t *columns, size_t height, size_t width, size_t channels, size_t input_pixels)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
input        = { reg = "x0", read = "input_pixels*channels", layout = "hwc", dtype = "int8" }
output       = { reg = "x1", write = "height*width*channels", layout = "hwc", dtype = "int8" }
rows         = { reg = "x2", read = "4*height", range = [0, 1073741823] }
columns      = { reg = "x3", read = "4*width", range = [0, 1073741823] }
height       = { reg = "x4", range = [1, 65536] }
width        = { reg = "x5", range = [1, 1048576] }
channels     = { reg = "x6", range = [1, 1048576] }
input_pixels = { reg = "x7", range = [1, 1073741824] }
*/

// The tables hold offsets in bytes: rows[y] that of a row of the input, columns[x] that of a pixel in its row. Both are
// drawn once for a layer, so that a call serves every rule of rounding and every ratio. No sum of the two may be above
// (input_pixels - 1) * channels. The code itself does not need input_pixels: it says how much of the input is there.
//
// The loops:
//
//     for each row
//         for each pixel
//             for each 64 channels          then for each 16; the last 1-15 with some before them
//
// A pixel of fewer than 16 channels is two parts that may overlap, each of 8, 4 or 2 of them; of one channel it is one.
//
// Around the hot loop a pixel costs 11 instructions, and a row 6.
//
// Cost of the hot loop, per 64 channels = 64 elements: 1 load, 1 store, 2 for the loop = 4 instructions, 0.062 per
// element. The floor is 2: all but the loop's. Loads and stores bound it.

    .arch armv8-a
    .text

#include "../include/function.inc"

input        .req x0
output       .req x1        // walks along the output
rows         .req x2        // walks along the table
columns      .req x3
height       .req x4        // rows left, counts down
width        .req x5
channels     .req x6
row          .req x7        // the row of the input
column       .req x8        // walks along the columns
left         .req x9        // pixels left in the row, counts down
in           .req x10       // walks along the pixel
offset       .req w10       // its offset in the row
in_row       .req x10
count        .req x11       // bytes left, counts down
second       .req x11       // offset of a pixel's second part
byte         .req w12

// output = every pixel of every row, each of which `pixel` copies
.macro resize pixel:req, form
.Lrow_\@:
    ldr     offset, [rows], #4
    add     row, input, in_row
    mov     column, columns
    mov     left, width
.Lpixel_\@:
    ldr     offset, [column], #4
    subs    left, left, #1
    \pixel  \form
    b.ne    .Lpixel_\@
    subs    height, height, #1
    b.ne    .Lrow_\@
    ret
.endm

// the next `channels` bytes of the output, 16 or more = those of the pixel
.macro copy_many form
    add     in, row, in_row
    subs    count, channels, #64
    b.lo    .Lfewer_than_sixty_four
.Lsixty_four:                                       // the hot loop
    ld1     {v0.16b, v1.16b, v2.16b, v3.16b}, [in], #64
    subs    count, count, #64
    st1     {v0.16b, v1.16b, v2.16b, v3.16b}, [output], #64
    b.hs    .Lsixty_four
.Lfewer_than_sixty_four:
    adds    count, count, #48
    b.mi    .Lfewer_than_sixteen
.Lsixteen:
    ldr     q0, [in], #16
    subs    count, count, #16
    str     q0, [output], #16
    b.hs    .Lsixteen
.Lfewer_than_sixteen:
    adds    count, count, #16
    b.eq    .Lcopied
    add     in, in, count
    add     output, output, count
    ldur    q0, [in, #-16]
    stur    q0, [output, #-16]
.Lcopied:
    cmp     left, #0
.endm

// the same of few channels: one part of the form's size, and one that ends with the pixel
.macro copy_two_parts form
    add     in, row, in_row
    ldr     \form\()0, [in]
    ldr     \form\()1, [in, second]
    str     \form\()0, [output]
    str     \form\()1, [output, second]
    add     output, output, channels
.endm

// the same of one channel
.macro copy_one form
    ldrb    byte, [row, in_row]
    strb    byte, [output], #1
.endm

function resize_s8s8_hwc_1x64
    cmp     channels, #16
    b.lo    .Lfew
    resize  copy_many
.Lfew:
    subs    second, channels, #8
    b.lo    .Lup_to_seven
    resize  copy_two_parts, d
.Lup_to_seven:
    subs    second, channels, #4
    b.lo    .Lup_to_three
    resize  copy_two_parts, s
.Lup_to_three:
    subs    second, channels, #2
    b.lo    .Lone
    resize  copy_two_parts, h
.Lone:
    resize  copy_one
end_function resize_s8s8_hwc_1x64
