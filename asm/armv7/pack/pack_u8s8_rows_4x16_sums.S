/*toml
extends = "pack_u8s8_rows_sums.inc"
summary = "packed = the rows of source in panels of 4, 16 elements of each row side by side; uint8 to int8 by ^0x80; sums of the rows"
[args]
packed = { write = "4*((rows+3)//4)*16*((depth+15)//16)", layout = "rows4_depth16" }
sums   = { write = "4*4*((rows+3)//4)" }
*/

// For b of matmul_s8s32_packed_2x4.
//
// In the panel:
//
//     GROUP elements of row 0, of row 1, ... of row WIDTH - 1, then the next GROUP elements of row 0, ...
//
// The matmul wants no -128 in b: no 0 in the source, as gemmlowp and TFLite have it for weights.
//
// Cost of the hot loop, per 2 rows x 16 elements = 32 bytes: 2 loads, 1 store, 2 veor, 4 for the sums, 2 for the loop =
// 11 instructions, 0.344 per byte. The floor is 9: all but the loop's.

#define KERNEL pack_u8s8_rows_4x16_sums
#define WIDTH 4
#define GROUP 16
#include "pack_u8s8_rows_sums.inc"
