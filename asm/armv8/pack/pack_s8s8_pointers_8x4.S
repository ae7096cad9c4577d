/*toml
extends = "pack_s8s8_pointers_panels.inc"
summary = "packed = the rows that input points to, tap by tap, in panels of 8, 4 channels of each row side by side"
[args]
packed = { write = "8*((rows+7)//8)*taps*4*((channels+3)//4)", layout = "rows8_depth4" }
*/

// For a of matmul_s8s32_packed_8x12_dotprod.
//
// Cost of the hot loop, per 4 rows x 16 channels = 64 bytes: 4 loads, 4 stores, 2 for the loop = 10 instructions, 0.156
// per byte. The floor is 8: all but the loop's.

#define KERNEL pack_s8s8_pointers_8x4
#define WIDTH 8
#define GROUP 4
#include "pack_s8s8_pointers_panels.inc"
