/*toml
extends = "pack_s8s8_pointers_panels.inc"
summary = "packed = the rows that input points to, tap by tap, in panels of 4, 16 channels of each row side by side"
[args]
packed = { write = "4*((rows+3)//4)*taps*16*((channels+15)//16)", layout = "rows4_depth16" }
*/

// For a of matmul_s8s32_packed_4x4.
//
// Cost of the hot loop, per 4 rows x 16 channels = 64 bytes: 4 loads, 1 store, 2 for the loop = 7 instructions, 0.109
// per byte. The floor is 5: all but the loop's.

#define KERNEL pack_s8s8_pointers_4x16
#define WIDTH 4
#define GROUP 16
#include "pack_s8s8_pointers_panels.inc"
