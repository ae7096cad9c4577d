/*toml
summary   = "output[y][x] = the channels of input at rows[y] + columns[x] bytes, HWC: nearest pixels, any ratio"
prototype = "void (const int8_t *input, int8_t *output, const int32_t *rows, const int32_t *columns, size_t height, size_t width, size_t channels, size_t input_pixels)"
isa       = ["armv7-a", "neon"]
stack     = 32
[args]
input        = { reg = "r0", read = "input_pixels*channels", layout = "hwc", dtype = "int8" }
output       = { reg = "r1", write = "height*width*channels", layout = "hwc", dtype = "int8" }
rows         = { reg = "r2", read = "4*height", range = [0, 1073741823] }
columns      = { reg = "r3", read = "4*width", range = [0, 1073741823] }
height       = { reg = "stack+0", range = [1, 65536] }
width        = { reg = "stack+4", range = [1, 1048576] }
channels     = { reg = "stack+8", range = [1, 1048576] }
input_pixels = { reg = "stack+12", range = [1, 1073741824] }
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
// Registers: d0-d7 what is copied.
//
// Around the hot loop a pixel costs 11 instructions, and a row 6.
//
// Cost of the hot loop, per 64 channels = 64 elements: 2 loads, 2 stores, 2 for the loop = 6 instructions, 0.094 per
// element. The floor is 4: all but the loop's. Loads and stores bound it.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

#include "../include/function.inc"

input        .req r0
output       .req r1        // walks along the output
rows         .req r2        // walks along the table
columns      .req r3
height       .req r4        // rows left, counts down
width        .req r5
channels     .req r6
row          .req r7        // the row of the input
column       .req r8        // walks along the columns
left         .req r9        // pixels left in the row, counts down
in           .req r10       // walks along the pixel
count        .req r12       // bytes left, counts down
second       .req r12       // offset of a pixel's second part
byte         .req r11

// output = every pixel of every row, each of which `pixel` copies
.macro resize pixel:req, size, part
.Lrow_\@:
    ldr     row, [rows], #4
    add     row, input, row
    mov     column, columns
    mov     left, width
.Lpixel_\@:
    ldr     in, [column], #4
    subs    left, left, #1
    \pixel  \size, \part
    bne     .Lpixel_\@
    subs    height, height, #1
    bne     .Lrow_\@
    pop     {r4-r11}
    bx      lr
.endm

// the next `channels` bytes of the output, 16 or more = those of the pixel
.macro copy_many size, part
    add     in, row, in
    subs    count, channels, #64
    blo     .Lfewer_than_sixty_four
.Lsixty_four:                                       // the hot loop
    vld1.8  {d0, d1, d2, d3}, [in]!
    vld1.8  {d4, d5, d6, d7}, [in]!
    subs    count, count, #64
    vst1.8  {d0, d1, d2, d3}, [output]!
    vst1.8  {d4, d5, d6, d7}, [output]!
    bhs     .Lsixty_four
.Lfewer_than_sixty_four:
    adds    count, count, #48
    bmi     .Lfewer_than_sixteen
.Lsixteen:
    vld1.8  {d0, d1}, [in]!
    subs    count, count, #16
    vst1.8  {d0, d1}, [output]!
    bhs     .Lsixteen
.Lfewer_than_sixteen:
    cmn     count, #16
    beq     .Lcopied
    add     in, in, count
    add     output, output, count
    vld1.8  {d0, d1}, [in]
    vst1.8  {d0, d1}, [output]!
.Lcopied:
    cmp     left, #0
.endm

// the same of few channels: one part of so many bytes, and one that ends with the pixel
.macro copy_two_parts size, part
    add     in, row, in
    vld1.\size {d0\part}, [in], second
    vld1.\size {d1\part}, [in]
    vst1.\size {d0\part}, [output], second
    vst1.\size {d1\part}, [output]!
.endm

// the same of one channel
.macro copy_one size, part
    ldrb    byte, [row, in]
    strb    byte, [output], #1
.endm

function resize_s8s8_hwc_1x64
    push    {r4-r11}
    ldr     height, [sp, #32]
    ldr     width, [sp, #36]
    ldr     channels, [sp, #40]
    cmp     channels, #16
    blo     .Lfew
    resize  copy_many
.Lfew:
    subs    second, channels, #8
    blo     .Lup_to_seven
    resize  copy_two_parts, 8
.Lup_to_seven:
    subs    second, channels, #4
    blo     .Lup_to_three
    resize  copy_two_parts, 32, [0]
.Lup_to_three:
    subs    second, channels, #2
    blo     .Lone
    resize  copy_two_parts, 16, [0]
.Lone:
    resize  copy_one
end_function resize_s8s8_hwc_1x64
