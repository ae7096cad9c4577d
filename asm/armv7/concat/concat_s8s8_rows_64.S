/*toml
summary   = "rows of one operand into wider rows of the output, each byte through a table that rescales it"
prototype = "void (const int8_t *input, int8_t *output, size_t rows, size_t cols, ptrdiff_t input_pitch, ptrdiff_t output_pitch, const int8_t *table)"
isa       = ["armv7-a", "neon"]
stack     = 88
modular   = ["vsub.i8"]
[args]
input        = { reg = "r0", read = { rows = "rows", bytes = "cols", pitch = "input_pitch" }, layout = "rows", dtype = "int8" }
output       = { reg = "r1", write = { rows = "rows", bytes = "cols", pitch = "output_pitch" }, layout = "rows", dtype = "int8" }
rows         = { reg = "r2", range = [1, 1048576] }
cols         = { reg = "r3", range = [1, 1048576] }
input_pitch  = { reg = "stack+0", range = [-1048576, 1048576] }
output_pitch = { reg = "stack+4", range = [-1048576, 1048576] }
table        = { reg = "stack+8", read = "256", dtype = "int8" }
*/

// One call for each operand, output being where its first row begins: channels of HWC images go side by side, with the
// pitch of the whole. An operand with the scale and zero point of the output needs no table: pad_s8s8_rows_64 copies
// it.
//
// There are but 256 numbers to rescale. So the caller rescales these, by whichever scheme, and the kernel looks up,
// exact for every scheme, for little more than half of what requantizing as gemmlowp does would take. vtbl reaches 32
// bytes; a table of 256 takes eight, seven of them with the index less 32 again. For 64 bytes each part of the table is
// loaded once.
//
// Cost of the hot loop, per 64 elements of a row = 64 elements: 2 loads, 1 for the table's start, 8 loads of the table,
// 28 to step the index, 64 to look up, 2 stores, 2 for the loop = 107 instructions, 1.672 per element. The floor is
// 104: all but the loop's and the table's start.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

input        .req r0        // the row
output       .req r1
rows         .req r2        // left, counts down
cols         .req r3
input_pitch  .req r4        // bytes from one row to the next
output_pitch .req r5
table        .req r6
in           .req r7        // walks along the row
out          .req r8
left         .req r9        // of the row, counts down
at           .req r12

#include "../include/function.inc"
#include "../include/lut.inc"

function concat_s8s8_rows_64
    push    {r4-r9}
    vpush   {d8-d15}
    ldr     input_pitch, [sp, #88]
    ldr     output_pitch, [sp, #92]
    ldr     table, [sp, #96]
    vmov.i8 q11, #32
.Lrow:
    mov     in, input
    mov     out, output
    mov     left, cols
    look_up_run
    add     input, input, input_pitch
    add     output, output, output_pitch
    subs    rows, rows, #1
    bne     .Lrow
    vpop    {d8-d15}
    pop     {r4-r9}
    bx      lr
end_function concat_s8s8_rows_64
