/*toml
summary   = "packed = the rows of source in panels of 4, 16 elements of each row side by side"
prototype = "void (const int8_t *source, int8_t *packed, size_t rows, size_t depth, size_t pitch)"
isa       = ["armv8.0-a", "neon"]
stack     = 64
[args]
source = { reg = "x0", read = { rows = "rows", bytes = "depth", pitch = "pitch" }, layout = "rows", dtype = "int8" }
packed = { reg = "x1", write = "4*((rows+3)//4)*16*((depth+15)//16)", layout = "rows4_depth16", dtype = "int8" }
rows   = { reg = "x2", range = [1, 1048576] }
depth  = { reg = "x3", range = [1, 1048576] }
pitch  = { reg = "x4", range = [1, 1048576] }
*/

// For both operands of matmul_s8s32_packed_4x4. The loops, outermost first:
//
//     for each 4 rows, a panel         rows that fill up the last one are the last row again
//         for each 4 rows
//             for each 16 elements       then the last 1-15, filled up with zeros to whole groups of 16
//
// In the panel:
//
//     elements 0-15 of row 0, of row 1, ... of row 3, then elements 16-31 of row 0, ...
//
// Cost of the hot loop, per 4 rows x 16 elements = 64 bytes: 4 loads, 1 store, 2 for the loop = 7 instructions, 0.109
// per byte. The floor is 5: all but the loop's.

    .arch armv8-a
    .text

#define WIDTH 4
#define GROUP 16

#include "include/pack_rows.inc"

    .p2align 4
    .global pack_s8s8_rows_4x16
    .type   pack_s8s8_rows_4x16, %function
pack_s8s8_rows_4x16:
    pack_rows
    .size   pack_s8s8_rows_4x16, . - pack_s8s8_rows_4x16

    .section .note.GNU-stack,"",%progbits
