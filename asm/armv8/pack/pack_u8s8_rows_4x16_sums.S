/*toml
extends = "pack_u8s8_rows_sums.inc"
summary = "packed = the rows of source in panels of 4, 16 elements of each row side by side; uint8 to int8 by ^0x80; sums of the rows"
[args]
packed = { write = "4*((rows+3)//4)*16*((depth+15)//16)", layout = "rows4_depth16" }
sums   = { write = "4*4*((rows+3)//4)" }
*/

// For both operands of matmul_s8s32_packed_4x4.
//
// The matmul wants no -128 in b: no 0 in the source, as gemmlowp and TFLite have it for weights.
//
// Cost of the hot loop, per 4 rows x 16 elements = 64 bytes: 4 loads, 1 store, 4 eor, 8 for the sums, 2 for the loop =
// 19 instructions, 0.297 per byte. The floor is 17: all but the loop's.

#define KERNEL pack_u8s8_rows_4x16_sums
#define WIDTH 4
#define GROUP 16
#include "pack_u8s8_rows_sums.inc"
