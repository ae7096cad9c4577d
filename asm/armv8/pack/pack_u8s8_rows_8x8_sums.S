/*toml
extends = "pack_u8s8_rows_sums.inc"
summary = "packed = the rows of source in panels of 8, 8 elements of each row side by side; uint8 to int8 by ^0x80; sums of the rows"
[args]
packed = { write = "8*((rows+7)//8)*8*((depth+7)//8)", layout = "rows8_depth8" }
*/

// For a of matmul_s8s32_packed_8x12_i8mm.
//
// Cost of the hot loop, per 4 rows x 16 elements = 64 bytes: 4 loads, 2 stores, 4 eor, 8 for the sums, 2 for the loop =
// 20 instructions, 0.312 per byte. The floor is 18: all but the loop's.

#define KERNEL pack_u8s8_rows_8x8_sums
#define WIDTH 8
#define GROUP 8
#include "pack_u8s8_rows_sums.inc"
