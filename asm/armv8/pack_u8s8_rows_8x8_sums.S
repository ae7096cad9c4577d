/*toml
summary   = "packed = the rows of source in panels of 8, 8 elements of each row side by side; uint8 to int8 by ^0x80; sums of the rows"
prototype = "void (const uint8_t *source, int8_t *packed, size_t rows, size_t depth, size_t pitch, int32_t *sums)"
isa       = ["armv8.0-a", "neon"]
stack     = 64
[args]
source = { reg = "x0", read = { rows = "rows", bytes = "depth", pitch = "pitch" }, layout = "rows", dtype = "uint8" }
packed = { reg = "x1", write = "8*((rows+7)//8)*8*((depth+7)//8)", layout = "rows8_depth8", dtype = "int8" }
rows   = { reg = "x2", range = [1, 1048576] }
depth  = { reg = "x3", range = [1, 131071] }
pitch  = { reg = "x4", range = [1, 1048576] }
sums   = { reg = "x5", write = "4*8*((rows+7)//8)", dtype = "int32" }
*/

// For a of matmul_s8s32_packed_8x12_i8mm. The loops, outermost first:
//
//     for each 8 rows, a panel         rows that fill up the last one are the last row again
//         for each 4 rows
//             for each 16 elements       then the last 1-15, filled up with zeros to whole groups of 8
//
// In the panel:
//
//     elements 0-7 of row 0, of row 1, ... of row 7, then elements 8-15 of row 0, ...
//
// A uint8 less 128 is an int8, and ^0x80 is that. What fills up the depth is 0 after it, so that it adds nothing to a
// product or a sum. The sums are safe: 131071 * 128 < 2^31.
//
// Cost of the hot loop, per 4 rows x 16 elements = 64 bytes: 4 loads, 2 stores, 4 eor, 8 for the sums, 2 for the loop =
// 20 instructions, 0.312 per byte. The floor is 18: all but the loop's.

    .arch armv8-a
    .text

#define WIDTH 8
#define GROUP 8
#define FLIP
#define SUMS

#include "include/pack_rows.inc"

    .p2align 4
    .global pack_u8s8_rows_8x8_sums
    .type   pack_u8s8_rows_8x8_sums, %function
pack_u8s8_rows_8x8_sums:
    pack_rows
    .size   pack_u8s8_rows_8x8_sums, . - pack_u8s8_rows_8x8_sums

    .section .note.GNU-stack,"",%progbits
