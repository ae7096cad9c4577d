/*toml
summary   = "output = table[input], the input's byte taken as unsigned"
prototype = "void (const int8_t *input, int8_t *output, size_t count, const int8_t *table)"
isa       = ["armv7-a", "neon"]
stack     = 64
modular   = ["vsub.i8"]
[args]
input  = { reg = "r0", read = "count", layout = "flat", dtype = "int8" }
output = { reg = "r1", write = "count", layout = "flat", dtype = "int8" }
count  = { reg = "r2", range = [0, 1073741824] }
table  = { reg = "r3", read = "256", dtype = "int8" }
*/

// For tanh, sigmoid and any other function of one 8-bit number, uint8 as well as int8: the table is in the order of the
// bytes, 0 to 127 before -128 to -1. In place is allowed: output may be input.
//
// vtbl reaches 32 bytes; a table of 256 takes eight, seven of them with the index less 32 again. For 64 bytes each part
// of the table is loaded once.
//
// Cost of the hot loop, per 64 elements: 2 loads, 1 for the table's start, 8 loads of the table, 28 to step the index,
// 64 to look up, 2 stores, 2 for the loop = 107 instructions, 1.672 per element. The floor is 104: all but the loop's
// and the table's start; a byte at a time it would be 3.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

in           .req r0
out          .req r1
left         .req r2        // elements left, counts down
table        .req r3
at           .req r12

#include "../include/function.inc"
#include "../include/lut.inc"

function lut_s8s8_flat_64
    save_vectors
    vmov.i8 q11, #32
    look_up_run
    restore_vectors_and_return
end_function lut_s8s8_flat_64
