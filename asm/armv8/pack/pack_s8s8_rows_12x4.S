/*toml
extends = "pack_s8s8_rows.inc"
summary = "packed = the rows of source in panels of 12, 4 elements of each row side by side"
[args]
packed = { write = "12*((rows+11)//12)*4*((depth+3)//4)", layout = "rows12_depth4" }
*/

// For b of matmul_s8s32_packed_8x12_dotprod.
//
// Cost of the hot loop, per 4 rows x 16 elements = 64 bytes: 4 loads, 4 stores, 2 for the loop = 10 instructions, 0.156
// per byte. The floor is 8: all but the loop's.

#define KERNEL pack_s8s8_rows_12x4
#define WIDTH 12
#define GROUP 4
#include "pack_s8s8_rows.inc"
