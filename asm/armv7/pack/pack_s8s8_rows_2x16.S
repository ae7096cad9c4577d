/*toml
extends = "pack_s8s8_rows.inc"
summary = "packed = the rows of source in panels of 2, 16 elements of each row side by side"
[args]
packed = { write = "2*((rows+1)//2)*16*((depth+15)//16)", layout = "rows2_depth16" }
*/

// For a of matmul_s8s32_packed_2x4.
//
// In the panel:
//
//     elements 0-15 of row 0, of row 1, then elements 16-31 of row 0, ...
//
// Cost of the hot loop, per 2 rows x 16 elements = 32 bytes: 2 loads, 1 store, 2 for the loop = 5 instructions, 0.156
// per byte. The floor is 3: all but the loop's.

#define KERNEL pack_s8s8_rows_2x16
#define WIDTH 2
#define GROUP 16
#include "pack_s8s8_rows.inc"
