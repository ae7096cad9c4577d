/*toml
extends = "pack_s8s8_rows.inc"
summary = "packed = the rows of source in panels of 6, 4 elements of each row side by side"
[args]
packed = { write = "6*((rows+5)//6)*4*((depth+3)//4)", layout = "rows6_depth4" }
*/

// For a of matmul_s8s32_packed_6x8_dotprod.
//
// In the panel:
//
//     GROUP elements of row 0, of row 1, ... of row WIDTH - 1, then the next GROUP elements of row 0, ...
//
// Cost of the hot loop, per 2 rows x 16 elements = 32 bytes: 2 loads, 4 stores, 2 for the loop = 8 instructions, 0.250
// per byte. The floor is 6: all but the loop's.

#define KERNEL pack_s8s8_rows_6x4
#define WIDTH 6
#define GROUP 4
#include "pack_s8s8_rows.inc"
