/*toml
summary   = "packed = the rows of source in panels of 2, 16 elements of each row side by side"
prototype = "void (const int8_t *source, int8_t *packed, size_t rows, size_t depth, size_t pitch)"
isa       = ["armv7-a", "neon"]
stack     = 68
[args]
source = { reg = "r0", read = { rows = "rows", bytes = "depth", pitch = "pitch" }, layout = "rows", dtype = "int8" }
packed = { reg = "r1", write = "2*((rows+1)//2)*16*((depth+15)//16)", layout = "rows2_depth16", dtype = "int8" }
rows   = { reg = "r2", range = [1, 1048576] }
depth  = { reg = "r3", range = [1, 1048576] }
pitch  = { reg = "stack+0", range = [1, 1048576] }
*/

// For a of matmul_s8s32_packed_2x4. The loops,
// outermost first:
//
//     for each 2 rows, a panel         rows that fill up the last one are the last row again
//         for each 2 rows
//             for each 16 elements       then the last 1-15, filled up with zeros to whole groups of 16
//
// In the panel:
//
//     elements 0-15 of row 0, of row 1, then elements 16-31 of row 0, ...
//
// Cost of the hot loop, per 2 rows x 16 elements = 32 bytes: 2 loads, 1 store, 2 for the loop = 5 instructions, 0.156
// per byte. The floor is 3: all but the loop's.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

#define WIDTH 2
#define GROUP 16

#include "include/pack_rows.inc"

    .p2align 4
    .global pack_s8s8_rows_2x16
    .type   pack_s8s8_rows_2x16, %function
pack_s8s8_rows_2x16:
    pack_rows
    .size   pack_s8s8_rows_2x16, . - pack_s8s8_rows_2x16

    .section .note.GNU-stack,"",%progbits
