/*toml
extends = "pack_s8s8_rows.inc"
summary = "packed = the rows of source in panels of 16, 4 elements of each row side by side"
[args]
packed = { write = "16*((rows+15)//16)*4*((depth+3)//4)", layout = "rows16_depth4" }
*/

// For the weights of conv1x1_s8s32_hwc_4x16_dotprod.
//
// Cost of the hot loop, per 4 rows x 16 elements = 64 bytes: 4 loads, 4 stores, 2 for the loop = 10 instructions, 0.156
// per byte. The floor is 8: all but the loop's.

#define KERNEL pack_s8s8_rows_16x4
#define WIDTH 16
#define GROUP 4
#include "pack_s8s8_rows.inc"
