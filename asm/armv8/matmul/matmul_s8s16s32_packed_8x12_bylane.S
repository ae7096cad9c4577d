/*toml
extends   = "matmul_s32_packed_8x12.inc"
summary   = "c[m][n] = sum_k a[m][k] * b[k][n], int8 x int16 -> int32, both operands packed, smlal by element"
prototype = "void (const int8_t *a, const int16_t *b, int32_t *c, size_t rows, size_t cols, size_t depth, size_t c_pitch)"
[args]
a     = { read = "8*((rows+7)//8)*depth", layout = "rows8_depth1" }
b     = { read = "2*12*((cols+11)//12)*depth", layout = "cols12_depth1", dtype = "int16" }
depth = { range = [1, 511] }
*/

// For activations of 16 bits and weights of 8: a, the rows, are the weights. A step is one depth; the hot loop takes 4.
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
// The bytes: 128 loaded for 384 MACs.

    .arch armv8-a
    .text

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

#define KERNEL matmul_s8s16s32_packed_8x12_bylane
#define DEPTH_SHIFT 0
#include "matmul_packed_8x12_by_steps.inc"
#include "store_rows_of_12_sums.inc"
#include "matmul_s32_packed_8x12.inc"
