/*toml
summary   = "c[m][n] = sum_k a[m][k] * b[k][n], int8 x int8 -> int32, both operands packed, sdot by element"
prototype = "void (const int8_t *a, const int8_t *b, int32_t *c, size_t rows, size_t cols, size_t depth, size_t c_pitch)"
isa       = ["armv8.2-a", "neon", "dotprod"]
stack     = 128
[args]
a       = { reg = "x0", read = "8*((rows+7)//8)*4*((depth+3)//4)", layout = "rows8_depth4", dtype = "int8" }
b       = { reg = "x1", read = "12*((cols+11)//12)*4*((depth+3)//4)", layout = "cols12_depth4", dtype = "int8" }
c       = { reg = "x2", write = { rows = "rows", bytes = "4*cols", pitch = "4*c_pitch" }, layout = "rows", dtype = "int32" }
rows    = { reg = "x3", range = [1, 1048576] }
cols    = { reg = "x4", range = [1, 1048576] }
depth   = { reg = "x5", range = [1, 131071] }
c_pitch = { reg = "x6", range = [1, 1048576] }
[counts]
macs = "rows*cols*depth"
*/

// The loops, outermost first; the tile is 8 rows x 12 columns:
//
//     for each 8 rows of a                  the last 1-4 as 4, the last 5-7 as 8
//         for each 12 columns of b          the last 1-4 as 4, the last 5-8 as 8
//             for each 16 of depth          then 4 at a time, the last 1-3 filled up with zeros by the packing
//                 sums[8][12] += a[8][16] * b[16][12]
//             c[8][12] = sums
//
// How the operands lie: a in panels of 8 rows, b in panels of 12 columns, each filled up with zeros to its full width.
// Within a panel 4 depths of the first row (column), 4 of the second and so on, then the next 4 depths. c has rows of
// c_pitch elements, c_pitch >= cols.
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
// All 32 registers are taken. 24 sums are the most that leave room for 4 + 4 registers of operands, which is what it
// takes to load with one instruction for every 4 registers.
//
// Any int8 will do: no sum of products wraps, as 131071 * 128 * 128 = 2 147 467 264 is the last below 2^31.
//
// Cost of the hot loop, per 8 rows x 12 columns x 16 depths = 1536 MACs:
//     96 sdot, 5 ld1, 2 for the loop = 103 instructions, 0.0671 per MAC.
// The floor is one sdot for 16 MACs, 96 or 0.0625 per MAC: 20 registers cannot be loaded in less than 5 ld1. Around the
// hot loop a tile costs 21 instructions, whatever the depth: 6 to clear the sums (by loads of zeros, as the loads have
// the time), 8 to store them, the rest to start over and to find that nothing is left over.
// At a depth of 32 the tile cannot cost less than 192 + 10 + 6 + 8 = 216, 0.0703 per MAC.
// The bytes: 320 loaded for 1536 MACs, 4 stored for each output, once.
// No prefetch: two ascending streams; that of a comes back from the cache for every 12 columns.

    .arch armv8.2-a+dotprod
    .text

panel   .req x0             // of 8 rows: where a starts over for each 12 columns
columns .req x1             // all of b
out0    .req x2             // row 0 of the tile, walks along the columns
rows    .req x3             // counts down
cols    .req x4
depths  .req x5             // in fours
pitch   .req x6             // of c, in bytes
out7    .req x7
a_at      .req x8
b_at      .req x9
count   .req x10            // depths left, in fours, counts down
left    .req x11            // columns left, counts down
out1    .req x12
out2    .req x13
out3    .req x14
out4    .req x15
out5    .req x16
out6    .req x17

// s (4 columns) += w (4 depths of 4 columns) * lane of a (4 depths of a row): 16 MACs
.macro multiply s, w, a, lane
    sdot    \s\().4s, \w\().16b, \a\().4b[\lane]
.endm

#include "../include/function.inc"
#include "matmul_packed_8x12_bylane.inc"
#include "store_12_sums.inc"

.macro start_rows
.endm

.macro start_sums rows
  .if \rows == 8
    ld1     {v8.16b, v9.16b, v10.16b, v11.16b}, [sp]
    ld1     {v12.16b, v13.16b, v14.16b, v15.16b}, [sp]
    ld1     {v16.16b, v17.16b, v18.16b, v19.16b}, [sp]
    ld1     {v20.16b, v21.16b, v22.16b, v23.16b}, [sp]
    ld1     {v24.16b, v25.16b, v26.16b, v27.16b}, [sp]
    ld1     {v28.16b, v29.16b, v30.16b, v31.16b}, [sp]
  .else
    ld1     {v8.16b, v9.16b, v10.16b, v11.16b}, [sp]
    ld1     {v12.16b, v13.16b, v14.16b, v15.16b}, [sp]
    ld1     {v16.16b, v17.16b, v18.16b, v19.16b}, [sp]
  .endif
.endm

.macro finish_sums rows
.endm

// Rows that are not there have the address of the last one, and are stored before it.
.macro store_rows store, rows, vectors
  .if \rows == 8
    \store  \vectors, out7, v29, v30, v31
    \store  \vectors, out6, v26, v27, v28
    \store  \vectors, out5, v23, v24, v25
    \store  \vectors, out4, v20, v21, v22
  .endif
    \store  \vectors, out3, v17, v18, v19
    \store  \vectors, out2, v14, v15, v16
    \store  \vectors, out1, v11, v12, v13
    \store  \vectors, out0, v8, v9, v10
.endm

.macro next_rows
    add     out0, out0, pitch, lsl #3
    sub     out0, out0, cols, lsl #2
.endm

function matmul_s8s32_packed_8x12_dotprod
    sub     sp, sp, #128
    save_vectors_at 64
    stp     xzr, xzr, [sp]                          // 64 bytes of zeros: what the sums start from
    stp     xzr, xzr, [sp, #16]
    stp     xzr, xzr, [sp, #32]
    stp     xzr, xzr, [sp, #48]
    add     depths, depths, #3
    lsr     depths, depths, #2
    lsl     pitch, pitch, #2

    matmul_8x12
    restore_vectors_at 64
    add     sp, sp, #128
    ret
end_function matmul_s8s32_packed_8x12_dotprod
