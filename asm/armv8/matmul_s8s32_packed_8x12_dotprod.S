/*toml
summary   = "c[m][n] = sum_k a[m][k] * b[k][n], int8 x int8 -> int32, both operands packed, sdot by element"
prototype = "void (const int8_t *a, const int8_t *b, int32_t *c, size_t rows, size_t cols, size_t depth, size_t c_pitch)"
isa       = ["armv8.2-a", "neon", "dotprod"]
stack     = 128
[args]
a       = { reg = "x0", read = "8*((rows+7)//8)*4*((depth+3)//4)", layout = "rows8_depth4", dtype = "int8" }
b       = { reg = "x1", read = "12*((cols+11)//12)*4*((depth+3)//4)", layout = "cols12_depth4", dtype = "int8" }
c       = { reg = "x2", write = "4*((rows-1)*c_pitch+cols)", layout = "rows", dtype = "int32" }
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
// The bytes: 320 loaded for 1536 MACs, 4 stored for each output, once.
// No prefetch: two ascending streams; that of a comes back from the cache for every 12 columns.

    .arch armv8.2-a+dotprod
    .text

#include "include/rows_of_c.inc"

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

// s[r] (4 columns) += w (4 depths of 4 columns) * row r (4 depths), for every row r: 16 MACs an instruction
.macro dots rows, w, low, high, s0, s1, s2, s3, s4, s5, s6, s7
    sdot    \s0\().4s, \w\().16b, \low\().4b[0]
    sdot    \s1\().4s, \w\().16b, \low\().4b[1]
    sdot    \s2\().4s, \w\().16b, \low\().4b[2]
    sdot    \s3\().4s, \w\().16b, \low\().4b[3]
  .if \rows == 8
    sdot    \s4\().4s, \w\().16b, \high\().4b[0]
    sdot    \s5\().4s, \w\().16b, \high\().4b[1]
    sdot    \s6\().4s, \w\().16b, \high\().4b[2]
    sdot    \s7\().4s, \w\().16b, \high\().4b[3]
  .endif
.endm

// the same for columns 0-3, 4-7 or 8-11 of the tile
.macro dots_left rows, w, low, high
    dots    \rows, \w, \low, \high, v8, v11, v14, v17, v20, v23, v26, v29
.endm
.macro dots_middle rows, w, low, high
    dots    \rows, \w, \low, \high, v9, v12, v15, v18, v21, v24, v27, v30
.endm
.macro dots_right rows, w, low, high
    dots    \rows, \w, \low, \high, v10, v13, v16, v19, v22, v25, v28, v31
.endm

// sums[8][12] += a[8][16 depths] * b[16 depths][12]
.macro sixteen_depths
    ld1     {v0.16b, v1.16b, v2.16b, v3.16b}, [a_at], #64
    ld1     {v4.16b, v5.16b, v6.16b, v7.16b}, [b_at], #64
    dots_left   8, v4, v0, v1                       // depths 0-3
    dots_middle 8, v5, v0, v1
    dots_right  8, v6, v0, v1
    dots_left   8, v7, v2, v3                       // depths 4-7
    ld1     {v4.16b, v5.16b, v6.16b, v7.16b}, [b_at], #64
    dots_middle 8, v4, v2, v3
    dots_right  8, v5, v2, v3
    ld1     {v0.16b, v1.16b, v2.16b, v3.16b}, [a_at], #64
    dots_left   8, v6, v0, v1                       // depths 8-11
    dots_middle 8, v7, v0, v1
    ld1     {v4.16b, v5.16b, v6.16b, v7.16b}, [b_at], #64
    dots_right  8, v4, v0, v1
    dots_left   8, v5, v2, v3                       // depths 12-15
    dots_middle 8, v6, v2, v3
    dots_right  8, v7, v2, v3
.endm

// sums[rows][4 * vectors] += a[rows][4 depths] * b[4 depths][4 * vectors]
.macro four_depths rows, vectors
  .if \rows == 8
    ldp     q0, q1, [a_at], #32
  .else
    ldr     q0, [a_at], #32
  .endif
  .if \vectors == 3
    ld1     {v4.16b, v5.16b, v6.16b}, [b_at], #48
  .elseif \vectors == 2
    ldp     q4, q5, [b_at], #48
  .else
    ldr     q4, [b_at], #48
  .endif
    dots_left   \rows, v4, v0, v1
  .if \vectors >= 2
    dots_middle \rows, v5, v0, v1
  .endif
  .if \vectors == 3
    dots_right  \rows, v6, v0, v1
  .endif
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

// sums[rows][4 * vectors] = a[rows] * b[4 * vectors], from the start of the panel of a
.macro sums rows, vectors
    mov     a_at, panel
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
    subs    count, depths, #4
    b.lo    2f
1:                                                  // rows=8, vectors=3: 103 instructions, 1536 MACs
  .if \rows * \vectors == 24
    sixteen_depths
  .else
   .rept 4
    four_depths \rows, \vectors
   .endr
  .endif
    subs    count, count, #4
    b.hs    1b
2:
    adds    count, count, #4
    b.eq    4f
3:                                                  // rows=8, vectors=3: 28 instructions, 384 MACs
    four_depths \rows, \vectors
    subs    count, count, #1
    b.ne    3b
4:
.endm

// c[rows][left] = a[rows] * b[left], 4 * vectors columns at most
.macro last_columns rows, vectors
    sums    \rows, \vectors
    tst     left, #3
    b.ne    10f
    store_rows store_whole, \rows, \vectors
    b       11f
10:
    store_rows store_part, \rows, \vectors
11:
.endm

// c[rows][cols] = a[rows] * b
.macro some_rows rows
    mov     b_at, columns
    subs    left, cols, #12
    b.lo    6f
5:
    sums    \rows, 3
    store_rows store_whole, \rows, 3
    subs    left, left, #12
    b.hs    5b
6:
    adds    left, left, #12
    b.eq    9f
    cmp     left, #4
    b.ls    7f
    cmp     left, #8
    b.ls    8f
    last_columns \rows, 3
    b       9f
7:
    last_columns \rows, 1
    b       9f
8:
    last_columns \rows, 2
9:
.endm

    .p2align 4
    .global matmul_s8s32_packed_8x12_dotprod
    .type   matmul_s8s32_packed_8x12_dotprod, %function
matmul_s8s32_packed_8x12_dotprod:
    sub     sp, sp, #128
    stp     d8, d9, [sp, #64]
    stp     d10, d11, [sp, #80]
    stp     d12, d13, [sp, #96]
    stp     d14, d15, [sp, #112]
    stp     xzr, xzr, [sp]                          // 64 bytes of zeros: what the sums start from
    stp     xzr, xzr, [sp, #16]
    stp     xzr, xzr, [sp, #32]
    stp     xzr, xzr, [sp, #48]
    add     depths, depths, #3
    lsr     depths, depths, #2
    lsl     pitch, pitch, #2

.Lrows:
    point_at_four_rows
    b.ls    .Lfour
    point_at_four_more_rows
    some_rows 8
    subs    rows, rows, #8
    b.ls    .Ldone
    mov     panel, a_at
    add     out0, out0, pitch, lsl #3
    sub     out0, out0, cols, lsl #2
    b       .Lrows
.Lfour:
    some_rows 4
.Ldone:
    ldp     d8, d9, [sp, #64]
    ldp     d10, d11, [sp, #80]
    ldp     d12, d13, [sp, #96]
    ldp     d14, d15, [sp, #112]
    add     sp, sp, #128
    ret
    .size   matmul_s8s32_packed_8x12_dotprod, . - matmul_s8s32_packed_8x12_dotprod

    .section .note.GNU-stack,"",%progbits
