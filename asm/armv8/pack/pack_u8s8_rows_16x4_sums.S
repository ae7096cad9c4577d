/*toml
extends = "pack_u8s8_rows_sums.inc"
summary = "packed = the rows of source in panels of 16, 4 elements of each row side by side; uint8 to int8 by ^0x80; sums of the rows"
[args]
packed = { write = "16*((rows+15)//16)*4*((depth+3)//4)", layout = "rows16_depth4" }
sums   = { write = "4*16*((rows+15)//16)" }
*/

// For the weights of conv1x1_s8s32_hwc_4x16_dotprod.
//
// Cost of the hot loop, per 4 rows x 16 elements = 64 bytes: 4 loads, 4 stores, 4 eor, 8 for the sums, 2 for the loop =
// 22 instructions, 0.344 per byte. The floor is 20: all but the loop's.

#define KERNEL pack_u8s8_rows_16x4_sums
#define WIDTH 16
#define GROUP 4
#include "pack_u8s8_rows_sums.inc"
