/*toml
extends = "pack_u8s8_rows_sums.inc"
summary = "packed = the rows of source in panels of 8, 4 elements of each row side by side; uint8 to int8 by ^0x80; sums of the rows"
[args]
packed = { write = "8*((rows+7)//8)*4*((depth+3)//4)", layout = "rows8_depth4" }
*/

// For a of matmul_s8s32_packed_8x12_dotprod.
//
// Cost of the hot loop, per 4 rows x 16 elements = 64 bytes: 4 loads, 4 stores, 4 eor, 8 for the sums, 2 for the loop =
// 22 instructions, 0.344 per byte. The floor is 20: all but the loop's.

#define KERNEL pack_u8s8_rows_8x4_sums
#define WIDTH 8
#define GROUP 4
#include "pack_u8s8_rows_sums.inc"
