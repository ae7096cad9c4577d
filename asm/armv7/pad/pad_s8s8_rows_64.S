/*toml
summary   = "output = input with rows above and below and elements left and right, all of them value"
prototype = "void (const int8_t *input, int8_t *output, size_t height, size_t row, ptrdiff_t input_pitch, size_t top, size_t bottom, size_t left, size_t right, int32_t value)"
isa       = ["armv7-a", "neon"]
stack     = 28
[args]
input       = { reg = "r0", read = { rows = "height", bytes = "row", pitch = "input_pitch" }, layout = "rows", dtype = "int8" }
output      = { reg = "r1", write = "(top+height+bottom)*(left+row+right)", layout = "rows", dtype = "int8" }
height      = { reg = "r2", range = [1, 65536] }
row         = { reg = "r3", range = [1, 1048576] }
input_pitch = { reg = "stack+0", range = [-1073741824, 1073741824] }
top         = { reg = "stack+4", range = [0, 1024] }
bottom      = { reg = "stack+8", range = [0, 1024] }
left        = { reg = "stack+12", range = [0, 1048576] }
right       = { reg = "stack+16", range = [0, 1048576] }
value       = { reg = "stack+20", range = [-128, 127] }
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
// Registers: q0-q3 what is copied, q8, q9 the value.
//
// Cost of the hot loop, per 64 elements of a row = 64 elements: 2 loads, 2 stores, 2 for the loop = 6 instructions,
// 0.094 per element. The floor is 4: all but the loop's.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

#include "../include/function.inc"

input        .req r0        // the row
output       .req r1        // walks along the output
height       .req r2        // rows left, counts down
row          .req r3
input_pitch  .req r4        // bytes from one row to the next
pending      .req r5        // bytes to fill before the next row
last         .req r6        // bytes to fill after the last row
between      .req r7        // right and left
in           .req r8        // walks along the row
pitch        .req r9        // bytes of a row of the output
right        .req r10
count        .req r12       // bytes left, counts down

// the next `pending` bytes of the output = value
.macro fill
    subs    count, pending, #64
    blo     .Lfewer_than_sixty_four_\@
.Lsixty_four_\@:
    vst1.8  {d16, d17, d18, d19}, [output]!
    vst1.8  {d16, d17, d18, d19}, [output]!
    subs    count, count, #64
    bhs     .Lsixty_four_\@
.Lfewer_than_sixty_four_\@:
    adds    count, count, #56
    bmi     .Lfewer_than_eight_\@
.Leight_\@:
    vst1.8  {d16}, [output]!
    subs    count, count, #8
    bhs     .Leight_\@
.Lfewer_than_eight_\@:
    tst     count, #4
    beq     .Lup_to_three_\@
    vst1.32 {d16[0]}, [output]!
.Lup_to_three_\@:
    tst     count, #2
    beq     .Lup_to_one_\@
    vst1.16 {d16[0]}, [output]!
.Lup_to_one_\@:
    tst     count, #1
    beq     .Lfilled_\@
    vst1.8  {d16[0]}, [output]!
.Lfilled_\@:
.endm

// the next `row` bytes of the output = the row
.macro copy
    mov     in, input
    subs    count, row, #64
    blo     .Lfewer_than_sixty_four_\@
.Lsixty_four_\@:                                    // the hot loop
    vld1.8  {d0, d1, d2, d3}, [in]!
    vld1.8  {d4, d5, d6, d7}, [in]!
    subs    count, count, #64
    vst1.8  {d0, d1, d2, d3}, [output]!
    vst1.8  {d4, d5, d6, d7}, [output]!
    bhs     .Lsixty_four_\@
.Lfewer_than_sixty_four_\@:
    adds    count, count, #56
    bmi     .Lfewer_than_eight_\@
.Leight_\@:
    vld1.8  {d0}, [in]!
    subs    count, count, #8
    vst1.8  {d0}, [output]!
    bhs     .Leight_\@
.Lfewer_than_eight_\@:
    tst     count, #4
    beq     .Lup_to_three_\@
    vld1.32 {d0[0]}, [in]!
    vst1.32 {d0[0]}, [output]!
.Lup_to_three_\@:
    tst     count, #2
    beq     .Lup_to_one_\@
    vld1.16 {d0[0]}, [in]!
    vst1.16 {d0[0]}, [output]!
.Lup_to_one_\@:
    tst     count, #1
    beq     .Lcopied_\@
    vld1.8  {d0[0]}, [in]
    vst1.8  {d0[0]}, [output]!
.Lcopied_\@:
.endm

function pad_s8s8_rows_64
    push    {r4-r10}
    ldr     input_pitch, [sp, #28]
    ldr     right, [sp, #44]
    ldr     r12, [sp, #48]
    vdup.8  q8, r12
    vmov    q9, q8
    ldr     between, [sp, #40]                      // left
    add     pitch, between, row
    add     pitch, pitch, right
    ldr     r12, [sp, #32]                          // top
    mla     pending, r12, pitch, between
    ldr     r12, [sp, #36]                          // bottom
    mla     last, r12, pitch, right
    add     between, between, right
.Lrow:
    fill
    copy
    add     input, input, input_pitch
    mov     pending, between
    subs    height, height, #1
    bne     .Lrow
    mov     pending, last
    fill
    pop     {r4-r10}
    bx      lr
end_function pad_s8s8_rows_64
