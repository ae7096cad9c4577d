/*toml
extends = "matmul_s32_packed_8x12.inc"
summary = "c[m][n] = sum_k a[m][k] * b[k][n], int8 x int8 -> int32, both operands packed, sdot by element"
isa     = ["armv8.2-a", "neon", "dotprod"]
[args]
a = { read = "8*((rows+7)//8)*4*((depth+3)//4)", layout = "rows8_depth4" }
b = { read = "12*((cols+11)//12)*4*((depth+3)//4)", layout = "cols12_depth4" }
*/

// A step is 4 depths; the last 1-3 are filled up with zeros by the packing. The hot loop takes 4 steps.
//
// The tile, and where it lives. A register of b holds 4 depths of 4 columns, one of a 4 depths of 4 rows. sdot by
// element multiplies 4 columns by one row, and adds up the 4 depths on the way:
//
//                               4 depths of 12 columns
//                              +------+------+------+
//                              |  v4  |  v5  |  v6  |      v4-v7 are loaded 4 at a time, so that the next
//                              +------+------+------+      4 depths find their columns in v7 v4 v5, then
//      4 depths      +----+    +------+------+------+      v6 v7 v4, then v5 v6 v7
//      of 8 rows     | v0 |    |  v8  |  v9  | v10  | row 0
//                    |    |    |  v11 |  v12 | v13  |     1
//                    |    |    |  ...               |
//                    | v1 |    |  v29 |  v30 | v31  |     7
//                    +----+    +------+------+------+
//      the next      | v2 |
//      4 depths      | v3 |       sums, int32
//                    +----+
//
// Any int8 will do: no sum of products wraps, as 131071 * 128 * 128 = 2 147 467 264 is the last below 2^31.
//
// Cost of the hot loop, per 8 rows x 12 columns x 16 depths = 1536 MACs:
//     96 sdot, 5 ld1, 2 for the loop = 103 instructions, 0.0671 per MAC.
// The floor is one sdot for 16 MACs, 96 or 0.0625 per MAC: 20 registers cannot be loaded in less than 5 ld1. Around the
// hot loop a tile costs 21 instructions, whatever the depth: 6 to clear the sums (by loads of zeros, as the loads have
// the time), 8 to store them, the rest to start over and to find that nothing is left over.
// At a depth of 32 the tile cannot cost less than 192 + 10 + 6 + 8 = 216, 0.0703 per MAC.
// The bytes: 320 loaded for 1536 MACs.

    .arch armv8.2-a+dotprod
    .text

// s (4 columns) += w (4 depths of 4 columns) * lane of a (4 depths of a row): 16 MACs
.macro multiply s, w, a, lane
    sdot    \s\().4s, \w\().16b, \a\().4b[\lane]
.endm

#define KERNEL matmul_s8s32_packed_8x12_dotprod
#define DEPTH_SHIFT 2
#include "matmul_packed_8x12_bylane.inc"
#include "store_rows_of_12_sums.inc"
#include "matmul_s32_packed_8x12.inc"
