/*toml
summary   = "c[m][n] = sum_k a[m][k] * b[k][n], int8 x int16 -> int32, both operands packed, smlal by element"
prototype = "void (const int8_t *a, const int16_t *b, int32_t *c, size_t rows, size_t cols, size_t depth, size_t c_pitch)"
isa       = ["armv8.0-a", "neon"]
stack     = 128
[args]
a       = { reg = "x0", read = "8*((rows+7)//8)*depth", layout = "rows8_depth1", dtype = "int8" }
b       = { reg = "x1", read = "2*12*((cols+11)//12)*depth", layout = "cols12_depth1", dtype = "int16" }
c       = { reg = "x2", write = { rows = "rows", bytes = "4*cols", pitch = "4*c_pitch" }, layout = "rows", dtype = "int32" }
rows    = { reg = "x3", range = [1, 1048576] }
cols    = { reg = "x4", range = [1, 1048576] }
depth   = { reg = "x5", range = [1, 511] }
c_pitch = { reg = "x6", range = [1, 1048576] }
[counts]
macs = "rows*cols*depth"
*/

// For activations of 16 bits and weights of 8: a, the rows, are the weights.
//
// The loops, outermost first; the tile is 8 rows x 12 columns:
//
//     for each 8 rows of a                  the last 1-4 as 4, the last 5-7 as 8
//         for each 12 columns of b          the last 1-4 as 4, the last 5-8 as 8
//             for each 4 of depth           then one at a time
//                 sums[8][12] += a[8][4] * b[4][12]
//             c[8][12] = sums
//
// How the operands lie: a in panels of 8 rows, b in panels of 12 columns, each filled up with zeros to its full width;
// within a panel one depth of all rows (columns), then the next. c has rows of c_pitch elements, c_pitch >= cols.
//
// The tile, and where it lives. The 8 rows of a depth are widened to int16, so that each is a lane:
//
//                              12 columns of a depth
//                              +-------------+------+
//                              |     v4      |  v5  |      two depths in v4-v6: the second has its columns in the
//                              +-------------+------+      upper half of v5 and in v6
//      8 rows of     +----+    +------+------+------+
//      4 depths      | v0 |    |  v8  |  v9  | v10  | row 0
//                    | v1 |    |  v11 |  v12 | v13  |     1
//                    | v2 |    |  ...               |
//                    | v3 |    |  v29 |  v30 | v31  |     7
//                    +----+    +------+------+------+
//                                sums, int32
//
// v7 is not used: a third of two depths of columns would not go into one register.
//
// Any int8 and any int16 will do up to the depth allowed: 511 * 2^7 * 2^15 = 2 143 289 344 is the last below 2^31.
//
// Cost of the hot loop, per 8 rows x 12 columns x 4 depths = 384 MACs:
//     96 smlal or smlal2, 4 to widen, 1 ldp, 2 ld1, 2 for the loop = 105 instructions, 0.273 per MAC.
// The floor is one smlal for 4 MACs, 96 or 0.25 per MAC: nothing multiplies int8 by int16, so that one side is widened.
// Around the hot loop a tile costs 21 instructions, whatever the depth: 6 to clear the sums, 8 to store them, the rest to
// start over and to find that nothing is left over.
// The bytes: 128 loaded for 384 MACs, 4 stored for each output, once.
// No prefetch: two ascending streams; that of a comes back from the cache for every 12 columns.

    .arch armv8-a
    .text

panel   .req x0             // of 8 rows: where a starts over for each 12 columns
columns .req x1             // all of b
out0    .req x2             // row 0 of the tile, walks along the columns
rows    .req x3             // counts down
cols    .req x4
depths  .req x5
pitch   .req x6             // of c, in bytes
out7    .req x7
a_at      .req x8
b_at      .req x9
count   .req x10            // depths left, counts down
left    .req x11            // columns left, counts down
out1    .req x12
out2    .req x13
out3    .req x14
out4    .req x15
out5    .req x16
out6    .req x17

// s[r] (4 columns) += half of w (4 columns) * row r, one depth, for every row r: 4 MACs an instruction; op is smlal for
// the lower half, smlal2 for the upper
.macro dots op, half, rows, w, a, s0, s1, s2, s3, s4, s5, s6, s7
    \op     \s0\().4s, \w\().\half, \a\().h[0]
    \op     \s1\().4s, \w\().\half, \a\().h[1]
    \op     \s2\().4s, \w\().\half, \a\().h[2]
    \op     \s3\().4s, \w\().\half, \a\().h[3]
  .if \rows == 8
    \op     \s4\().4s, \w\().\half, \a\().h[4]
    \op     \s5\().4s, \w\().\half, \a\().h[5]
    \op     \s6\().4s, \w\().\half, \a\().h[6]
    \op     \s7\().4s, \w\().\half, \a\().h[7]
  .endif
.endm

// the same for columns 0-3, 4-7 or 8-11 of the tile
.macro dots_left op, half, rows, w, a
    dots    \op, \half, \rows, \w, \a, v8, v11, v14, v17, v20, v23, v26, v29
.endm
.macro dots_middle op, half, rows, w, a
    dots    \op, \half, \rows, \w, \a, v9, v12, v15, v18, v21, v24, v27, v30
.endm
.macro dots_right op, half, rows, w, a
    dots    \op, \half, \rows, \w, \a, v10, v13, v16, v19, v22, v25, v28, v31
.endm

// sums[8][12] += a[8][2 depths, in even and odd] * b[2 depths][12]
.macro two_depths even, odd
    ld1     {v4.8h, v5.8h, v6.8h}, [b_at], #48
    dots_left   smlal, 4h, 8, v4, \even
    dots_middle smlal2, 8h, 8, v4, \even
    dots_right  smlal, 4h, 8, v5, \even
    dots_left   smlal2, 8h, 8, v5, \odd
    dots_middle smlal, 4h, 8, v6, \odd
    dots_right  smlal2, 8h, 8, v6, \odd
.endm

// sums[8][12] += a[8][4 depths] * b[4 depths][12]
.macro four_steps
    ldp     q2, q3, [a_at], #32
    sxtl    v0.8h, v2.8b
    sxtl2   v1.8h, v2.16b
    sxtl    v2.8h, v3.8b
    sxtl2   v3.8h, v3.16b
    two_depths v0, v1
    two_depths v2, v3
.endm

// sums[rows][4 * vectors] += a[rows][1 depth] * b[1 depth][4 * vectors]
.macro one_step rows, vectors
    ldr     d0, [a_at], #8
    ldr     q4, [b_at], #16
    ldr     d5, [b_at], #8
    sxtl    v0.8h, v0.8b
    dots_left   smlal, 4h, \rows, v4, v0
  .if \vectors >= 2
    dots_middle smlal2, 8h, \rows, v4, v0
  .endif
  .if \vectors == 3
    dots_right  smlal, 4h, \rows, v5, v0
  .endif
.endm

#include "../include/function.inc"
#include "matmul_packed_8x12.inc"
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

function matmul_s8s16s32_packed_8x12_bylane
    sub     sp, sp, #128
    save_vectors_at 64
    stp     xzr, xzr, [sp]                          // 64 bytes of zeros: what the sums start from
    stp     xzr, xzr, [sp, #16]
    stp     xzr, xzr, [sp, #32]
    stp     xzr, xzr, [sp, #48]
    lsl     pitch, pitch, #2

    matmul_8x12
    restore_vectors_at 64
    add     sp, sp, #128
    ret
end_function matmul_s8s16s32_packed_8x12_bylane
