/*toml
extends = "pack_s8s8_pointers.inc"
summary = "packed = the rows that input points to, tap by tap, in panels of 2, 16 channels of each row side by side"
stack   = 60
[args]
packed = { write = "2*((rows+1)//2)*taps*16*((channels+15)//16)", layout = "rows2_depth16" }
*/

// For a of matmul_s8s32_packed_2x4.
//
// The channels of each tap are filled up with zeros to whole groups of 16; the weights must have zeros there too.
//
// The loops, outermost first:
//
//     for each 2 rows, a panel             the last one alone twice
//         for each tap
//             for each 16 channels       then the last 1-15, filled up
//
// Cost of the hot loop, per 2 rows x 16 channels = 32 bytes: 2 loads, 1 store, 2 for the loop = 5 instructions, 0.156
// per byte. The floor is 3: all but the loop's.

#define WIDTH 2
#define GROUP 16
#include "pack_s8s8_pointers.inc"

input    .req r0            // the pointers of row 0 of the 2, walks along its taps
out      .req r1            // walks along the panels
rows     .req r2            // left, counts down
taps     .req r3
input1   .req r4
in0      .req r5            // one tap of each row
in1      .req r6
step     .req r7            // from one group to the next
count    .req r8            // channels left, counts down
tap      .req r9            // taps left, counts down
scratch  .req r10
channels .req r12

#include "pack_groups.inc"

function pack_s8s8_pointers_2x16
    push    {r4-r10}
    sub     sp, sp, #32
    ldr     channels, [sp, #60]
    mov     step, #(WIDTH * GROUP)
    vmov.i8 q15, #0
.Ltwo_rows:
    add     input1, input, taps, lsl #2
    cmp     rows, #2
    movlo   input1, input                           // a row that is not there: the last one again
    mov     tap, taps
.Ltap:
    ldr     in0, [input], #4
    ldr     in1, [input1], #4
    pack_two_rows channels
    subs    tap, tap, #1
    bne     .Ltap
    mov     input, input1                           // row 0 of the next 2
    subs    rows, rows, #2
    bhi     .Ltwo_rows
    add     sp, sp, #32
    pop     {r4-r10}
    bx      lr
end_function pack_s8s8_pointers_2x16
