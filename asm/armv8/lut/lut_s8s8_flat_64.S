/*toml
summary   = "output = table[input], the input's byte taken as unsigned"
prototype = "void (const int8_t *input, int8_t *output, size_t count, const int8_t *table)"
isa       = ["armv8.0-a", "neon"]
stack     = 16
modular   = ["sub"]
[args]
input  = { reg = "x0", read = "count", layout = "flat", dtype = "int8" }
output = { reg = "x1", write = "count", layout = "flat", dtype = "int8" }
count  = { reg = "x2", range = [0, 1073741824] }
table  = { reg = "x3", read = "256", dtype = "int8" }
*/

// For tanh, sigmoid and any other function of one 8-bit number, uint8 as well as int8: the table is in the order of the
// bytes, 0 to 127 before -128 to -1. In place is allowed: output may be input.
//
// tbl reaches 64 bytes; a table of 256 takes four, three of them with the index less 64 again, 7 instructions for 16
// bytes. v16-v31 hold the table.
//
// Cost of the hot loop, per 64 elements: 1 load, 4 * 7 to look up, 1 store, 2 for the loop = 32 instructions, 0.500 per
// element. The floor is 30: all but the loop's.

    .arch armv8-a
    .text

in           .req x0
out          .req x1
left         .req x2        // elements left, counts down
table        .req x3
at           .req x4

sixty_four   .req v8        // in each byte

#include "../include/function.inc"
#include "../include/lut.inc"

function lut_s8s8_flat_64
    str     d8, [sp, #-16]!
    load_table
    movi    sixty_four.16b, #64
    look_up_run
    ldr     d8, [sp], #16
    ret
end_function lut_s8s8_flat_64
