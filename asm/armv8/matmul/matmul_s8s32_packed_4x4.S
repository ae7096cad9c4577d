/*toml
summary   = "c[m][n] = sum_k a[m][k] * b[k][n], int8 x int8 -> int32, both operands packed, pairs of products in int16"
prototype = "void (const int8_t *a, const int8_t *b, int32_t *c, size_t rows, size_t cols, size_t depth, size_t c_pitch)"
isa       = ["armv8.0-a", "neon"]
stack     = 64
[args]
a       = { reg = "x0", read = "4*((rows+3)//4)*16*((depth+15)//16)", layout = "rows4_depth16", dtype = "int8", range = [-128, 127] }
b       = { reg = "x1", read = "4*((cols+3)//4)*16*((depth+15)//16)", layout = "cols4_depth16", dtype = "int8", range = [-127, 127] }
c       = { reg = "x2", write = { rows = "rows", bytes = "4*cols", pitch = "4*c_pitch" }, layout = "rows", dtype = "int32" }
rows    = { reg = "x3", range = [1, 1048576] }
cols    = { reg = "x4", range = [1, 1048576] }
depth   = { reg = "x5", range = [1, 131071] }
c_pitch = { reg = "x6", range = [1, 1048576] }
[counts]
macs = "rows*cols*depth"
*/

// The loops, outermost first; the tile is 4 rows x 4 columns:
//
//     for each 4 rows of a                  the last 1-3 as 4, of which 1-3 are stored
//         for each 4 columns of b           the last 1-3 as 4, of which 1-3 are stored
//             for each 32 of depth          before it the first 16 or 32; the packing fills up the last 1-15
//                 sums[4][4] += a[4][32] * b[32][4]
//             c[4][4] = sums
//
// How the operands lie: a in panels of 4 rows, b in panels of 4 columns, each filled up with zeros to its full width.
// Within a panel 16 depths of the first row (column), 16 of the second and so on, then the next 16 depths. c has rows
// of c_pitch elements, c_pitch >= cols.
//
// The tile, and where it lives:
//
//                      16 depths of 4 columns
//                    +------+------+------+------+
//                    |  v4  |  v5  |  v6  |  v7  |
//                    +------+------+------+------+
//      16    +----+  +------+------+------+------+
//      depths| v0 |  |  v16 |  v17 |  v18 |  v19 |  row 0      v8-v11, v12-v15: two products added, int16, on
//      of 4  | v1 |  |  v20 |  v21 |  v22 |  v23 |      1      their way into the sums; the columns take turns, so
//      rows  | v2 |  |  v24 |  v25 |  v26 |  v27 |      2      that one is multiplied while another is added
//            | v3 |  |  v28 |  v29 |  v30 |  v31 |      3
//            +----+  +------+------+------+------+
//                      sums: 4 x int32 each, to be added up across when all depths are in
//
// All 32 registers are taken. Another column would need 4 more for sums and leave the products without a second set.
//
// Why b lies in [-127, 127]: smull and smlal2 add two products in int16. -128 * -127 twice is 32512 and -128 * 127
// twice is -32512, both int16; only -128 * -128 twice, 32768, is not. So a may be any int8, and b, the weights as a
// rule, may be anything but -128. The int32 sums are safe: 131071 * 128 * 127 = 2 130 690 176.
//
// Cost of the hot loop, per 4 rows x 4 columns x 32 depths = 512 MACs:
//     32 smull, 32 smlal2, 32 sadalp, 4 ld1, 2 for the loop = 102 instructions, 0.199 per MAC.
// The floor is three instructions for 16 MACs, 96 or 0.1875 per MAC: 16 registers cannot be loaded in less than 4 ld1.
// Around the hot loop a tile costs 21 instructions, whatever the depth: 12 to add the sums up across, 4 to store them,
// the rest to start over and to find out how much is left. Nothing is cleared: the first 16 depths are stored as sums,
// not added to them. At a depth of 32 the tile cannot cost less than 96 + 4 + 12 + 4 = 116, 0.227 per MAC.
// The bytes: 256 loaded for 512 MACs, 4 stored for each output, once.
// No prefetch: two ascending streams; that of a comes back from the cache for every 4 columns.

    .arch armv8-a
    .text

panel   .req x0             // of 4 rows: where a starts over for each 4 columns
columns .req x1             // all of b
out0    .req x2             // row 0 of the tile, walks along the columns
rows    .req x3             // counts down
cols    .req x4
depths  .req x5             // in sixteens, without the first
pitch   .req x6             // of c, in bytes
a_at      .req x7
b_at      .req x8
count   .req x9             // pairs of sixteens left, counts down
left    .req x10            // columns left, counts down
out1    .req x11
out2    .req x12
out3    .req x13
pairs   .req x14            // of sixteens after the first and, if depths is odd, the second

#include "../include/function.inc"
#include "matmul_packed_4x4.inc"

.macro start_rows
.endm

.macro finish_sums n
.endm

.macro store_sums n
    str     q19, [out3], #16
    str     q18, [out2], #16
    str     q17, [out1], #16
    str     q16, [out0], #16
.endm

.macro store_part_of_sums n
    store_some out3, v19
    store_some out2, v18
    store_some out1, v17
    store_some out0, v16
.endm

.macro next_rows
    add     out0, out0, pitch, lsl #2
    sub     out0, out0, cols, lsl #2
.endm

function matmul_s8s32_packed_4x4
    save_vectors 64
    lsl     pitch, pitch, #2
    matmul_4x4
    restore_vectors 64
    ret
end_function matmul_s8s32_packed_4x4
