/*toml
extends = "pack_u8s8_rows_sums.inc"
summary = "packed = the rows of source in panels of 6, 4 elements of each row side by side; uint8 to int8 by ^0x80; sums of the rows"
[args]
packed = { write = "6*((rows+5)//6)*4*((depth+3)//4)", layout = "rows6_depth4" }
sums   = { write = "4*6*((rows+5)//6)" }
*/

// For a of matmul_s8s32_packed_6x8_dotprod.
//
// In the panel:
//
//     GROUP elements of row 0, of row 1, ... of row WIDTH - 1, then the next GROUP elements of row 0, ...
//
// Cost of the hot loop, per 2 rows x 16 elements = 32 bytes: 2 loads, 4 stores, 2 veor, 4 for the sums, 2 for the loop
// = 14 instructions, 0.438 per byte. The floor is 12: all but the loop's.

#define KERNEL pack_u8s8_rows_6x4_sums
#define WIDTH 6
#define GROUP 4
#include "pack_u8s8_rows_sums.inc"
