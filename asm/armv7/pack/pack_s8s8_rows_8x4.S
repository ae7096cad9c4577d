/*toml
extends = "pack_s8s8_rows.inc"
summary = "packed = the rows of source in panels of 8, 4 elements of each row side by side"
[args]
packed = { write = "8*((rows+7)//8)*4*((depth+3)//4)", layout = "rows8_depth4" }
*/

// For b of matmul_s8s32_packed_6x8_dotprod and the weights of conv1x1_s8s32_hwc_4x8_dotprod.
//
// In the panel:
//
//     GROUP elements of row 0, of row 1, ... of row WIDTH - 1, then the next GROUP elements of row 0, ...
//
// Cost of the hot loop, per 2 rows x 16 elements = 32 bytes: 2 loads, 4 stores, 2 for the loop = 8 instructions, 0.250
// per byte. The floor is 6: all but the loop's.

#define KERNEL pack_s8s8_rows_8x4
#define WIDTH 8
#define GROUP 4
#include "pack_s8s8_rows.inc"
