/*toml
extends = "matmul_s32_packed_8x12.inc"
summary = "c[m][n] = sum_k a[m][k] * b[k][n], int8 x int8 -> int32, both operands packed, 2 x 2 sums at a time"
isa     = ["armv8.2-a", "neon", "i8mm"]
[args]
a = { read = "8*((rows+7)//8)*8*((depth+7)//8)", layout = "rows8_depth8" }
b = { read = "12*((cols+11)//12)*8*((depth+7)//8)", layout = "cols12_depth8" }
*/

// A step is 8 depths; the last 1-7 are filled up with zeros by the packing. The hot loop takes 4 steps, then come 2, then
// the last.
//
// The tile, and where it lives. A register of a holds 8 depths of 2 rows, one of b 8 depths of 2 columns. smmla
// multiplies them into 2 x 2 sums, and adds up the 8 depths on the way:
//
//                                        8 depths of 12 columns
//                              +-----+-----+-----+-----+-----+-----+
//                              | v4  | v5  | v6  | v7  | v4  | v5  |    each pair is loaded again: the next
//                              +-----+-----+-----+-----+-----+-----+    8 depths have v6 v7 v4 v5 v6 v7
//      8 depths      +----+    +-----+-----+-----+-----+-----+-----+
//      of 8 rows     | v0 |    | v8  | v9  | v10 | v11 | v12 | v13 |  rows 0, 1
//                    | v1 |    | v14 | v15 | v16 | v17 | v18 | v19 |       2, 3
//                    | v2 |    | v20 | v21 | v22 | v23 | v24 | v25 |       4, 5
//                    | v3 |    | v26 | v27 | v28 | v29 | v30 | v31 |       6, 7
//                    +----+    +-----+-----+-----+-----+-----+-----+
//                                2 rows x 2 columns of sums each, int32
//
// Any int8 will do: no sum of products wraps, as 131071 * 128 * 128 = 2 147 467 264 is the last below 2^31.
//
// Cost of the hot loop, per 8 rows x 12 columns x 32 depths = 3072 MACs:
//     96 smmla, 20 ldp, 2 for the loop = 118 instructions, 0.0384 per MAC.
// Two ports multiply: 48 cycles. On Neoverse N2 the loop takes 50, on Cortex-A510 53. Ten ld1 of 4 registers each would do in
// place of the 20 ldp, but 4 registers are free later than 2: the loop took 57 and 68 cycles so.
// The floor is one smmla for 32 MACs, 96 or 0.0313 per MAC: 40 registers cannot be loaded in less than 10 ld1. Around
// the hot loop a tile costs 41 instructions, whatever the depth: 6 to clear the sums (by loads of zeros), 12 zips and 4
// st1 for the lower row of each 2 x 2 sums, 12 stp for the upper one, whose halves need no zip; the rest to start over and
// to find that nothing is left over. At a depth of 32 that is nearly half as much as the 96 smmla: with shallow operands
// what turns sums into rows, not the loop, sets the price.
// The bytes: 640 loaded for 3072 MACs.

    .arch armv8.2-a+i8mm
    .text

#include "matmul_packed_8x12.inc"
#include "store_12_sums.inc"

// sums of 2 columns += w (8 depths of 2 columns) * all rows (8 depths): 32 MACs an instruction
.macro multiply rows, w, s0, s1, s2, s3
    smmla   \s0\().4s, v0.16b, \w\().16b
    smmla   \s1\().4s, v1.16b, \w\().16b
  .if \rows == 8
    smmla   \s2\().4s, v2.16b, \w\().16b
    smmla   \s3\().4s, v3.16b, \w\().16b
  .endif
.endm

// the same for columns 0-3, 4-7 or 8-11 of the tile, 2 in each of w0 and w1
.macro multiply_left rows, w0, w1
    multiply \rows, \w0, v8, v14, v20, v26
    multiply \rows, \w1, v9, v15, v21, v27
.endm
.macro multiply_middle rows, w0, w1
    multiply \rows, \w0, v10, v16, v22, v28
    multiply \rows, \w1, v11, v17, v23, v29
.endm
.macro multiply_right rows, w0, w1
    multiply \rows, \w0, v12, v18, v24, v30
    multiply \rows, \w1, v13, v19, v25, v31
.endm

// sums[rows][4 * vectors] += a[rows][8 depths] * b[8 depths][4 * vectors]
.macro eight_depths rows, vectors
  .if \rows == 8
    ld1     {v0.16b, v1.16b, v2.16b, v3.16b}, [a_at], #64
  .else
    ldp     q0, q1, [a_at], #64
  .endif
  .if \vectors == 1
    ldp     q4, q5, [b_at], #96
    multiply_left   \rows, v4, v5
  .else
    ldp     q4, q5, [b_at], #32
    ldp     q6, q7, [b_at], #(32 * (4 - \vectors))
    multiply_left   \rows, v4, v5
    multiply_middle \rows, v6, v7
   .if \vectors == 3
    ldp     q4, q5, [b_at], #32
    multiply_right  \rows, v4, v5
   .endif
  .endif
.endm

// the same for columns 8-11; v0-v3 = the next 8 depths of all rows, each pair as soon as it is free
.macro multiply_right_and_load_rows w0, w1
    smmla   v12.4s, v0.16b, \w0\().16b
    smmla   v13.4s, v0.16b, \w1\().16b
    smmla   v18.4s, v1.16b, \w0\().16b
    smmla   v19.4s, v1.16b, \w1\().16b
    ldp     q0, q1, [a_at], #32
    smmla   v24.4s, v2.16b, \w0\().16b
    smmla   v25.4s, v2.16b, \w1\().16b
    smmla   v30.4s, v3.16b, \w0\().16b
    smmla   v31.4s, v3.16b, \w1\().16b
    ldp     q2, q3, [a_at], #32
.endm

// v0-v3 = 8 depths of all rows, v4-v7 = 8 depths of columns 0-7
.macro load_first
    ldp     q4, q5, [b_at], #32
    ldp     q0, q1, [a_at], #32
    ldp     q2, q3, [a_at], #32
    ldp     q6, q7, [b_at], #32
.endm

// sums of the whole tile += 16 depths of a and b, of which load_first, or the 16 depths before, has loaded some; each pair
// of registers is loaded again where it is free, behind the 16 depths only if `more` follow
.macro sixteen_depths_of_all more
    multiply_left   8, v4, v5                       // depths 0-7
    ldp     q4, q5, [b_at], #32
    multiply_middle 8, v6, v7
    ldp     q6, q7, [b_at], #32
    multiply_right_and_load_rows v4, v5
    ldp     q4, q5, [b_at], #32
    multiply_left   8, v6, v7                       // depths 8-15
    ldp     q6, q7, [b_at], #32
    multiply_middle 8, v4, v5
  .if \more
    ldp     q4, q5, [b_at], #32
    multiply_right_and_load_rows v6, v7
    ldp     q6, q7, [b_at], #32
  .else
    multiply_right  8, v6, v7
  .endif
.endm

// sums[rows][4 * vectors] += a[rows][16 depths] * b[16 depths][4 * vectors]
.macro sixteen_depths rows, vectors
  .if \rows * \vectors == 24
    load_first
    sixteen_depths_of_all 0
  .else
    eight_depths \rows, \vectors
    eight_depths \rows, \vectors
  .endif
.endm

// and with 32 depths
.macro thirty_two_depths rows, vectors
  .if \rows * \vectors == 24
    load_first
    sixteen_depths_of_all 1
    sixteen_depths_of_all 0
  .else
    sixteen_depths \rows, \vectors
    sixteen_depths \rows, \vectors
  .endif
.endm

// Two rows of c, the upper and the lower of each 2 x 2 sums, of registers v\s0 to v\s5; the lower one first, as it may not
// be there.
.macro store_two_rows store, vectors, upper, lower, s0, s1, s2, s3, s4, s5
    zip2    v0.2d, v\s0\().2d, v\s1\().2d
  .if \vectors >= 2
    zip2    v1.2d, v\s2\().2d, v\s3\().2d
  .endif
  .if \vectors == 3
    zip2    v2.2d, v\s4\().2d, v\s5\().2d
  .endif
    \store  \vectors, \lower, v0, v1, v2
    \store\()_of_lower_halves \vectors, \upper, \s0, \s1, \s2, \s3, \s4, \s5
.endm

// c = all lanes of a row that lies in the lower halves of two registers for each vector: stored as they are
.macro store_whole_of_lower_halves vectors, c, s0, s1, s2, s3, s4, s5
  .if \vectors >= 2
    stp     d\s2, d\s3, [\c, #16]
  .endif
  .if \vectors == 3
    stp     d\s4, d\s5, [\c, #32]
  .endif
    stp     d\s0, d\s1, [\c], #(16 * \vectors)
.endm

// c = all lanes of such a row but those of the last vector, of which some
.macro store_part_of_lower_halves vectors, c, s0, s1, s2, s3, s4, s5
    zip1    v4.2d, v\s0\().2d, v\s1\().2d
  .if \vectors >= 2
    zip1    v5.2d, v\s2\().2d, v\s3\().2d
  .endif
  .if \vectors == 3
    zip1    v6.2d, v\s4\().2d, v\s5\().2d
  .endif
    store_part \vectors, \c, v4, v5, v6
.endm

.macro store_rows store, rows, vectors
  .if \rows == 8
    store_two_rows \store, \vectors, out6, out7, 26, 27, 28, 29, 30, 31
    store_two_rows \store, \vectors, out4, out5, 20, 21, 22, 23, 24, 25
  .endif
    store_two_rows \store, \vectors, out2, out3, 14, 15, 16, 17, 18, 19
    store_two_rows \store, \vectors, out0, out1, 8, 9, 10, 11, 12, 13
.endm

// sums[rows][4 * vectors] = a[rows] * b[4 * vectors], from the start of the panel of a
.macro sums rows, vectors
    mov     a_at, panel
    start_sums \rows
    subs    count, depths, #4
    b.lo    .Lfewer_than_four_steps_\@
.Lfour_steps_\@:                                    // rows=8, vectors=3: 118 instructions, 3072 MACs
    thirty_two_depths \rows, \vectors
    subs    count, count, #4
    b.hs    .Lfour_steps_\@
.Lfewer_than_four_steps_\@:                         // -4 to -1 are left, whose lowest bits are those of 0 to 3
    tbz     count, #1, .Lone_step_\@
    sixteen_depths \rows, \vectors
.Lone_step_\@:
    tbz     count, #0, .Lno_more_steps_\@
    eight_depths \rows, \vectors
.Lno_more_steps_\@:
.endm

#define KERNEL matmul_s8s32_packed_8x12_i8mm
#define DEPTH_SHIFT 3
#include "matmul_s32_packed_8x12.inc"
