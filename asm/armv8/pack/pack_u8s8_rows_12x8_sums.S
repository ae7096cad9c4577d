/*toml
extends = "pack_u8s8_rows_sums.inc"
summary = "packed = the rows of source in panels of 12, 8 elements of each row side by side; uint8 to int8 by ^0x80; sums of the rows"
[args]
packed = { write = "12*((rows+11)//12)*8*((depth+7)//8)", layout = "rows12_depth8" }
sums   = { write = "4*12*((rows+11)//12)" }
*/

// For b of matmul_s8s32_packed_8x12_i8mm.
//
// Cost of the hot loop, per 4 rows x 16 elements = 64 bytes: 4 loads, 2 stores, 4 eor, 8 for the sums, 2 for the loop =
// 20 instructions, 0.312 per byte. The floor is 18: all but the loop's.

#define KERNEL pack_u8s8_rows_12x8_sums
#define WIDTH 12
#define GROUP 8
#include "pack_u8s8_rows_sums.inc"
