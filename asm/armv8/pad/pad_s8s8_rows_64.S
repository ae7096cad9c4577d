/*toml
summary   = "output = input with rows above and below and elements left and right, all of them value"
prototype = "void (const int8_t *input, int8_t *output, size_t height, size_t row, ptrdiff_t input_pitch, size_t top, size_t bottom, size_t left, size_t right, int32_t value)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
input       = { reg = "x0", read = { rows = "height", bytes = "row", pitch = "input_pitch" }, layout = "rows", dtype = "int8" }
output      = { reg = "x1", write = "(top+height+bottom)*(left+row+right)", layout = "rows", dtype = "int8" }
height      = { reg = "x2", range = [1, 65536] }
row         = { reg = "x3", range = [1, 1048576] }
input_pitch = { reg = "x4", range = [-1073741824, 1073741824] }
top         = { reg = "x5", range = [0, 1024] }
bottom      = { reg = "x6", range = [0, 1024] }
left        = { reg = "x7", range = [0, 1048576] }
right       = { reg = "stack+0", range = [0, 1048576] }
value       = { reg = "stack+8", range = [-128, 127] }
*/

// A row is width * channels of an HWC image, left and right are pixels to add there times channels. With no padding it
// copies, which is what a concatenation does with an operand of its own scale, but for the pitch of the output.
//
// The loops:
//
//     for each row
//         what lies before it: the rows above or the right end of the row before, and its left end
//         the row
//     the last row's right end and the rows below
//
// Cost of the hot loop, per 64 elements of a row = 64 elements: 1 load, 1 store, 2 for the loop = 4 instructions, 0.062
// per element. The floor is 2: all but the loop's.

    .arch armv8-a
    .text

#include "../include/function.inc"

input        .req x0        // the row
output       .req x1        // walks along the output
height       .req x2        // rows left, counts down
row          .req x3
input_pitch  .req x4        // bytes from one row to the next
top          .req x5
bottom       .req x6
left         .req x7
right        .req x8
pending      .req x5        // bytes to fill before the next row
between      .req x7        // right and left
last         .req x6        // bytes to fill after the last row
in           .req x9        // walks along the row
count        .req x10       // bytes left, counts down
pitch        .req x11       // bytes of a row of the output

// the next `pending` bytes of the output = value
.macro fill
    subs    count, pending, #64
    b.lo    .Lfewer_than_sixty_four_\@
.Lsixty_four_\@:
    st1     {v16.16b, v17.16b, v18.16b, v19.16b}, [output], #64
    subs    count, count, #64
    b.hs    .Lsixty_four_\@
.Lfewer_than_sixty_four_\@:
    adds    count, count, #48
    b.mi    .Lfewer_than_sixteen_\@
.Lsixteen_\@:
    str     q16, [output], #16
    subs    count, count, #16
    b.hs    .Lsixteen_\@
.Lfewer_than_sixteen_\@:
    tbz     count, #3, .Lup_to_seven_\@
    str     d16, [output], #8
.Lup_to_seven_\@:
    tbz     count, #2, .Lup_to_three_\@
    str     s16, [output], #4
.Lup_to_three_\@:
    tbz     count, #1, .Lup_to_one_\@
    str     h16, [output], #2
.Lup_to_one_\@:
    tbz     count, #0, .Lfilled_\@
    str     b16, [output], #1
.Lfilled_\@:
.endm

// the next `row` bytes of the output = the row
.macro copy
    mov     in, input
    subs    count, row, #64
    b.lo    .Lfewer_than_sixty_four_\@
.Lsixty_four_\@:                                    // the hot loop
    ld1     {v0.16b, v1.16b, v2.16b, v3.16b}, [in], #64
    subs    count, count, #64
    st1     {v0.16b, v1.16b, v2.16b, v3.16b}, [output], #64
    b.hs    .Lsixty_four_\@
.Lfewer_than_sixty_four_\@:
    adds    count, count, #48
    b.mi    .Lfewer_than_sixteen_\@
.Lsixteen_\@:
    ldr     q0, [in], #16
    subs    count, count, #16
    str     q0, [output], #16
    b.hs    .Lsixteen_\@
.Lfewer_than_sixteen_\@:
    tbz     count, #3, .Lup_to_seven_\@
    ldr     d0, [in], #8
    str     d0, [output], #8
.Lup_to_seven_\@:
    tbz     count, #2, .Lup_to_three_\@
    ldr     s0, [in], #4
    str     s0, [output], #4
.Lup_to_three_\@:
    tbz     count, #1, .Lup_to_one_\@
    ldr     h0, [in], #2
    str     h0, [output], #2
.Lup_to_one_\@:
    tbz     count, #0, .Lcopied_\@
    ldr     b0, [in]
    str     b0, [output], #1
.Lcopied_\@:
.endm

function pad_s8s8_rows_64
    ldr     right, [sp]
    ldr     w9, [sp, #8]
    dup     v16.16b, w9
    mov     v17.16b, v16.16b
    mov     v18.16b, v16.16b
    mov     v19.16b, v16.16b
    add     pitch, left, row
    add     pitch, pitch, right
    madd    pending, top, pitch, left
    madd    last, bottom, pitch, right
    add     between, left, right
.Lrow:
    fill
    copy
    add     input, input, input_pitch
    mov     pending, between
    subs    height, height, #1
    b.ne    .Lrow
    mov     pending, last
    fill
    ret
end_function pad_s8s8_rows_64
