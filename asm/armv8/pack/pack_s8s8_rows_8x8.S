/*toml
extends = "pack_s8s8_rows.inc"
summary = "packed = the rows of source in panels of 8, 8 elements of each row side by side"
[args]
packed = { write = "8*((rows+7)//8)*8*((depth+7)//8)", layout = "rows8_depth8" }
*/

// For a of matmul_s8s32_packed_8x12_i8mm.
//
// Cost of the hot loop, per 4 rows x 16 elements = 64 bytes: 4 loads, 2 stores, 2 for the loop = 8 instructions, 0.125
// per byte. The floor is 6: all but the loop's.

#define KERNEL pack_s8s8_rows_8x8
#define WIDTH 8
#define GROUP 8
#include "pack_s8s8_rows.inc"
