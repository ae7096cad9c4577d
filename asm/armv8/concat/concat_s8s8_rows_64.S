/*toml
summary   = "rows of one operand into wider rows of the output, each byte through a table that rescales it"
prototype = "void (const int8_t *input, int8_t *output, size_t rows, size_t cols, ptrdiff_t input_pitch, ptrdiff_t output_pitch, const int8_t *table)"
isa       = ["armv8.0-a", "neon"]
stack     = 16
modular   = ["sub"]
[args]
input        = { reg = "x0", read = { rows = "rows", bytes = "cols", pitch = "input_pitch" }, layout = "rows", dtype = "int8" }
output       = { reg = "x1", write = { rows = "rows", bytes = "cols", pitch = "output_pitch" }, layout = "rows", dtype = "int8" }
rows         = { reg = "x2", range = [1, 1048576] }
cols         = { reg = "x3", range = [1, 1048576] }
input_pitch  = { reg = "x4", range = [-1048576, 1048576] }
output_pitch = { reg = "x5", range = [-1048576, 1048576] }
table        = { reg = "x6", read = "256", dtype = "int8" }
*/

// One call for each operand, output being where its first row begins: channels of HWC images go side by side, with the
// pitch of the whole. An operand with the scale and zero point of the output needs no table: pad_s8s8_rows_64 copies
// it.
//
// There are but 256 numbers to rescale. So the caller rescales these, by whichever scheme, and the kernel looks up: 7
// instructions for 16 bytes, where requantizing them as gemmlowp does would take 34, and exact for every scheme. tbl
// reaches 64 bytes; a table of 256 takes four, three of them with the index less 64 again, 7 instructions for 16 bytes.
// v16-v31 hold the table.
//
// Cost of the hot loop, per 64 elements of a row = 64 elements: 1 load, 4 * 7 to look up, 1 store, 2 for the loop = 32
// instructions, 0.500 per element. The floor is 30: all but the loop's.

    .arch armv8-a
    .text

input        .req x0        // the row
output       .req x1
rows         .req x2        // left, counts down
cols         .req x3
input_pitch  .req x4        // bytes from one row to the next
output_pitch .req x5
table        .req x6
in           .req x7        // walks along the row
out          .req x8
left         .req x9        // of the row, counts down
at           .req x10

sixty_four   .req v8        // in each byte

#include "../include/function.inc"
#include "../include/lut.inc"

function concat_s8s8_rows_64
    str     d8, [sp, #-16]!
    load_table
    movi    sixty_four.16b, #64
.Lrow:
    mov     in, input
    mov     out, output
    mov     left, cols
    look_up_run
    add     input, input, input_pitch
    add     output, output, output_pitch
    subs    rows, rows, #1
    b.ne    .Lrow
    ldr     d8, [sp], #16
    ret
end_function concat_s8s8_rows_64
