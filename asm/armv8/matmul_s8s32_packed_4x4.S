/*toml
summary   = "c[m][n] = sum_k a[m][k] * b[k][n], int8 x int8 -> int32, both operands packed, pairs of products in int16"
prototype = "void (const int8_t *a, const int8_t *b, int32_t *c, size_t rows, size_t cols, size_t depth, size_t c_pitch)"
isa       = ["armv8.0-a", "neon"]
stack     = 64
[args]
a       = { reg = "x0", read = "4*((rows+3)//4)*16*((depth+15)//16)", layout = "rows4_depth16", dtype = "int8", range = [-128, 127] }
b       = { reg = "x1", read = "4*((cols+3)//4)*16*((depth+15)//16)", layout = "cols4_depth16", dtype = "int8", range = [-127, 127] }
c       = { reg = "x2", write = "4*((rows-1)*c_pitch+cols)", layout = "rows", dtype = "int32" }
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

#include "include/rows_of_c.inc"

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

// products of one column w with the 4 rows: low halves of 16 depths, then the high halves added
.macro multiply_low w, p0, p1, p2, p3
    smull   \p0\().8h, v0.8b, \w\().8b
    smull   \p1\().8h, v1.8b, \w\().8b
    smull   \p2\().8h, v2.8b, \w\().8b
    smull   \p3\().8h, v3.8b, \w\().8b
.endm
.macro multiply_high w, p0, p1, p2, p3
    smlal2  \p0\().8h, v0.16b, \w\().16b
    smlal2  \p1\().8h, v1.16b, \w\().16b
    smlal2  \p2\().8h, v2.16b, \w\().16b
    smlal2  \p3\().8h, v3.16b, \w\().16b
.endm

// sums of one column (op)= products, widened: sadalp adds to them, saddlp starts them
.macro add_up op, s0, s1, s2, s3, p0, p1, p2, p3
    \op     \s0\().4s, \p0\().8h
    \op     \s1\().4s, \p1\().8h
    \op     \s2\().4s, \p2\().8h
    \op     \s3\().4s, \p3\().8h
.endm

// sums[4][4] (op)= a[4][16] * b[16][4]
.macro sixteen_depths op
    ld1     {v0.16b, v1.16b, v2.16b, v3.16b}, [a_at], #64
    ld1     {v4.16b, v5.16b, v6.16b, v7.16b}, [b_at], #64
    multiply_low  v4, v8, v9, v10, v11
    multiply_high v4, v8, v9, v10, v11
    multiply_low  v5, v12, v13, v14, v15
    add_up  \op, v16, v20, v24, v28, v8, v9, v10, v11
    multiply_high v5, v12, v13, v14, v15
    multiply_low  v6, v8, v9, v10, v11
    add_up  \op, v17, v21, v25, v29, v12, v13, v14, v15
    multiply_high v6, v8, v9, v10, v11
    multiply_low  v7, v12, v13, v14, v15
    add_up  \op, v18, v22, v26, v30, v8, v9, v10, v11
    multiply_high v7, v12, v13, v14, v15
    add_up  \op, v19, v23, v27, v31, v12, v13, v14, v15
.endm

// s0 = [sum of s0, sum of s1, sum of s2, sum of s3]: one row, one column in each lane
.macro add_across s0, s1, s2, s3
    addp    \s0\().4s, \s0\().4s, \s1\().4s
    addp    \s2\().4s, \s2\().4s, \s3\().4s
    addp    \s0\().4s, \s0\().4s, \s2\().4s
.endm

    .p2align 4
    .global matmul_s8s32_packed_4x4
    .type   matmul_s8s32_packed_4x4, %function
matmul_s8s32_packed_4x4:
    stp     d8, d9, [sp, #-64]!
    stp     d10, d11, [sp, #16]
    stp     d12, d13, [sp, #32]
    stp     d14, d15, [sp, #48]
    sub     depths, depths, #1
    lsr     depths, depths, #4
    lsr     pairs, depths, #1
    lsl     pitch, pitch, #2

.Lrows:
    point_at_four_rows
    mov     b_at, columns
    mov     left, cols
.Lcolumns:
    mov     a_at, panel
    sixteen_depths saddlp
    tbz     depths, #0, 1f
    sixteen_depths sadalp
1:
    cbz     pairs, 3f
    mov     count, pairs
2:                                                  // 102 instructions, 512 MACs
    sixteen_depths sadalp
    subs    count, count, #1
    sixteen_depths sadalp
    b.ne    2b
3:
    add_across v28, v29, v30, v31
    add_across v24, v25, v26, v27
    add_across v20, v21, v22, v23
    add_across v16, v17, v18, v19
    subs    left, left, #4
    b.lo    .Lpart
    str     q28, [out3], #16
    str     q24, [out2], #16
    str     q20, [out1], #16
    str     q16, [out0], #16
    b.hi    .Lcolumns
.Lnext_rows:
    subs    rows, rows, #4
    b.ls    .Ldone
    mov     panel, a_at
    add     out0, out0, pitch, lsl #2
    sub     out0, out0, cols, lsl #2
    b       .Lrows
.Lpart:                                             // -3 to -1 are left, whose lowest bits are those of 1 to 3
    store_some out3, v28
    store_some out2, v24
    store_some out1, v20
    store_some out0, v16
    b       .Lnext_rows
.Ldone:
    ldp     d10, d11, [sp, #16]
    ldp     d12, d13, [sp, #32]
    ldp     d14, d15, [sp, #48]
    ldp     d8, d9, [sp], #64
    ret
    .size   matmul_s8s32_packed_4x4, . - matmul_s8s32_packed_4x4

    .section .note.GNU-stack,"",%progbits
