/*toml
summary   = "packed = the rows of source in panels of 8, 4 elements of each row side by side; uint8 to int8 by ^0x80; sums of the rows"
prototype = "void (const uint8_t *source, int8_t *packed, size_t rows, size_t depth, size_t pitch, int32_t *sums)"
isa       = ["armv7-a", "neon"]
stack     = 68
[args]
source = { reg = "r0", read = { rows = "rows", bytes = "depth", pitch = "pitch" }, layout = "rows", dtype = "uint8" }
packed = { reg = "r1", write = "8*((rows+7)//8)*4*((depth+3)//4)", layout = "rows8_depth4", dtype = "int8" }
rows   = { reg = "r2", range = [1, 1048576] }
depth  = { reg = "r3", range = [1, 131071] }
pitch  = { reg = "stack+0", range = [1, 1048576] }
sums   = { reg = "stack+4", write = "4*8*((rows+7)//8)", dtype = "int32" }
*/

// For b of matmul_s8s32_packed_6x8_dotprod and the weights of conv1x1_s8s32_hwc_4x8_dotprod. The loops,
// outermost first:
//
//     for each 8 rows, a panel         rows that fill up the last one are the last row again
//         for each 2 rows
//             for each 16 elements       then the last 1-15, filled up with zeros to whole groups of 4
//
// In the panel:
//
//     elements 0-3 of row 0, of row 1, ... of row 7, then elements 4-7 of row 0, ...
//
// A uint8 less 128 is an int8, and ^0x80 is that. What fills up the depth is 0 after it, so that it adds nothing to a
// product or a sum. The sums are safe: 131071 * 128 < 2^31.
//
// Cost of the hot loop, per 2 rows x 16 elements = 32 bytes: 2 loads, 4 stores, 2 veor, 4 for the sums, 2 for the loop
// = 14 instructions, 0.438 per byte. The floor is 12: all but the loop's.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

#define WIDTH 8
#define GROUP 4
#define FLIP
#define SUMS

#include "include/pack_rows.inc"

    .p2align 4
    .global pack_u8s8_rows_8x4_sums
    .type   pack_u8s8_rows_8x4_sums, %function
pack_u8s8_rows_8x4_sums:
    pack_rows
    .size   pack_u8s8_rows_8x4_sums, . - pack_u8s8_rows_8x4_sums

    .section .note.GNU-stack,"",%progbits
