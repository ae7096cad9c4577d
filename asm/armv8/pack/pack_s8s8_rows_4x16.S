/*toml
extends = "pack_s8s8_rows.inc"
summary = "packed = the rows of source in panels of 4, 16 elements of each row side by side"
[args]
packed = { write = "4*((rows+3)//4)*16*((depth+15)//16)", layout = "rows4_depth16" }
*/

// For both operands of matmul_s8s32_packed_4x4.
//
// Cost of the hot loop, per 4 rows x 16 elements = 64 bytes: 4 loads, 1 store, 2 for the loop = 7 instructions, 0.109
// per byte. The floor is 5: all but the loop's.

#define KERNEL pack_s8s8_rows_4x16
#define WIDTH 4
#define GROUP 16
#include "pack_s8s8_rows.inc"
