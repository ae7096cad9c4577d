/*toml
summary   = "packed = the rows of source in panels of 4, 16 elements of each row side by side; uint8 to int8 by ^0x80; sums of the rows"
prototype = "void (const uint8_t *source, int8_t *packed, size_t rows, size_t depth, size_t pitch, int32_t *sums)"
isa       = ["armv7-a", "neon"]
stack     = 68
[args]
source = { reg = "r0", read = { rows = "rows", bytes = "depth", pitch = "pitch" }, layout = "rows", dtype = "uint8" }
packed = { reg = "r1", write = "4*((rows+3)//4)*16*((depth+15)//16)", layout = "rows4_depth16", dtype = "int8" }
rows   = { reg = "r2", range = [1, 1048576] }
depth  = { reg = "r3", range = [1, 131071] }
pitch  = { reg = "stack+0", range = [1, 1048576] }
sums   = { reg = "stack+4", write = "4*4*((rows+3)//4)", dtype = "int32" }
*/

// For b of matmul_s8s32_packed_2x4. The loops,
// outermost first:
//
//     for each 4 rows, a panel         rows that fill up the last one are the last row again
//         for each 2 rows
//             for each 16 elements       then the last 1-15, filled up with zeros to whole groups of 16
//
// In the panel:
//
//     elements 0-15 of row 0, of row 1, ... of row 3, then elements 16-31 of row 0, ...
//
// A uint8 less 128 is an int8, and ^0x80 is that. What fills up the depth is 0 after it, so that it adds nothing to a
// product or a sum. The sums are safe: 131071 * 128 < 2^31.
//
// The matmul wants no -128 in b: no 0 in the source, as gemmlowp and TFLite have it for weights.
//
// Cost of the hot loop, per 2 rows x 16 elements = 32 bytes: 2 loads, 1 store, 2 veor, 4 for the sums, 2 for the loop =
// 11 instructions, 0.344 per byte. The floor is 9: all but the loop's.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

#define WIDTH 4
#define GROUP 16
#define FLIP
#define SUMS

#include "include/pack_rows.inc"

    .p2align 4
    .global pack_u8s8_rows_4x16_sums
    .type   pack_u8s8_rows_4x16_sums, %function
pack_u8s8_rows_4x16_sums:
    pack_rows
    .size   pack_u8s8_rows_4x16_sums, . - pack_u8s8_rows_4x16_sums

    .section .note.GNU-stack,"",%progbits
