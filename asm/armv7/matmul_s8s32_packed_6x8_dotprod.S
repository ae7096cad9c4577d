/*toml
summary   = "c[m][n] = sum_k a[m][k] * b[k][n], int8 x int8 -> int32, both operands packed, vsdot by element"
prototype = "void (const int8_t *a, const int8_t *b, int32_t *c, size_t rows, size_t cols, size_t depth, size_t c_pitch)"
isa       = ["armv8.2-a", "a32", "neon", "dotprod"]
stack     = 180
[args]
a       = { reg = "r0", read = "6*((rows+5)//6)*4*((depth+3)//4)", layout = "rows6_depth4", dtype = "int8" }
b       = { reg = "r1", read = "8*((cols+7)//8)*4*((depth+3)//4)", layout = "cols8_depth4", dtype = "int8" }
c       = { reg = "r2", write = "4*((rows-1)*c_pitch+cols)", layout = "rows", dtype = "int32" }
rows    = { reg = "r3", range = [1, 1048576] }
cols    = { reg = "stack+0", range = [1, 1048576] }
depth   = { reg = "stack+4", range = [1, 131071] }
c_pitch = { reg = "stack+8", range = [1, 1048576] }
[counts]
macs = "rows*cols*depth"
*/

// For AArch32 on a core of ARMv8.2 that has the dot product instructions, Cortex-A55 and A76 for instance.
//
// The loops, outermost first; the tile is 6 rows x 8 columns:
//
//     for each 6 rows of a                  the last 1-2 as 2, the last 3-4 as 4, the last 5 as 6
//         for each 8 columns of b           the last 1-7 as 8, of which 1-7 are stored
//             for each 16 of depth          then 4 at a time, the last 1-3 filled up with zeros by the packing
//                 sums[6][8] += a[6][16] * b[16][8]
//             c[6][8] = sums
//
// How the operands lie: a in panels of 6 rows, b in panels of 8 columns, each filled up with zeros to its full width.
// Within a panel 4 depths of the first row (column), 4 of the second and so on, then the next 4 depths. c has rows of
// c_pitch elements, c_pitch >= cols.
//
// The tile, and where it lives. A register of b holds 4 depths of 4 columns, half a register of a 4 depths of 2 rows.
// vsdot by element multiplies 4 columns by one row, and adds up the 4 depths on the way:
//
//                           4 depths of 8 columns
//                               +-----+-----+
//                               | q2  | q3  |
//                               +-----+-----+
//      4 depths     +----+      +-----+-----+
//      of 6 rows    | d0 |      | q4  | q5  |  row 0
//                   |    |      | q6  | q7  |      1
//                   | d1 |      | q8  | q9  |      2
//                   |    |      | q10 | q11 |      3
//                   | d2 |      | q12 | q13 |      4
//                   |    |      | q14 | q15 |      5
//                   +----+      +-----+-----+
//                                 sums, int32
//
// All 16 registers are taken but for d3. The sums of no larger tile fit, and of those that do (6 x 8, 4 x 12) this one
// loads least: 56 bytes for 192 MACs.
//
// Any int8 will do: no sum of products wraps, as 131071 * 128 * 128 = 2 147 467 264 is the last below 2^31.
//
// Cost of the hot loop, per 6 rows x 8 columns x 16 depths = 768 MACs:
//     48 vsdot, 8 vld1, 2 for the loop = 58 instructions, 0.0755 per MAC.
// The floor is one vsdot for 16 MACs, 48 or 0.0625 per MAC: the sums leave no room to load more than 4 depths at a
// time, which takes one vld1 for each operand. Around the hot loop a tile costs 17 instructions, whatever the depth: 3
// to clear the sums (by loads of zeros, as the loads have the time), 6 to store them, the rest to start over and to
// find that nothing is left over.
// The bytes: 224 loaded for 768 MACs, 4 stored for each output, once.
// No prefetch: two ascending streams; that of a comes back from the cache for every 8 columns.

    .syntax unified
    .arch   armv8.2-a
    .fpu    neon-fp-armv8
    .arch_extension dotprod
    .arm
    .text

panel  .req r0              // of 6 rows: where a starts over for each 8 columns
b_at     .req r1
out0   .req r2              // row 0 of the tile, walks along the columns
a_at     .req r3
out1   .req r4
out2   .req r5
out3   .req r6
out4   .req r7
out5   .req r8
depths .req r9              // in fours
count  .req r10             // depths left, in fours, counts down
left   .req r11             // columns left, counts down
rows   .req r12             // outside the loop over columns
pitch  .req lr              // of c, in bytes; outside the loop over columns

// The frame, from sp upwards. It need not be a multiple of 8: nothing is called from here.
#define ZEROS   0           /* 64 bytes: what the sums start from */
#define COLUMNS 64          /* all of b */
#define ROWS    68          /* rows left */
#define PITCH   72          /* of c, in bytes */
#define ROW_0   76          /* the tile's first row in c, at column 0 */
#define LOCALS  80
#define FRAME   180         /* LOCALS, d8-d15, r4-r11 and lr */
#define COLS    FRAME
#define DEPTH   (FRAME + 4)
#define C_PITCH (FRAME + 8)

#include "include/rows_of_c.inc"

// s[r] (4 columns) += w (4 depths of 4 columns) * row r (4 depths), for every row r: 16 MACs an instruction
.macro dots n, w, s0, s1, s2, s3, s4, s5
    vsdot.s8 \s0, \w, d0[0]
    vsdot.s8 \s1, \w, d0[1]
  .if \n >= 4
    vsdot.s8 \s2, \w, d1[0]
    vsdot.s8 \s3, \w, d1[1]
  .endif
  .if \n == 6
    vsdot.s8 \s4, \w, d2[0]
    vsdot.s8 \s5, \w, d2[1]
  .endif
.endm

// sums[n][8] += a[n][4 depths] * b[4 depths][8]
.macro four_depths n
    vld1.8  {d0, d1, d2}, [a_at]!
    vld1.8  {d4, d5, d6, d7}, [b_at]!
    dots    \n, q2, q4, q6, q8, q10, q12, q14
    dots    \n, q3, q5, q7, q9, q11, q13, q15
.endm

// as many of the row's 8 columns as are left, 1 to 7
.macro store_part c, s0, s1, s2, s3
    tst     left, #4
    beq     3f
    vst1.32 {\s0, \s1}, [\c]!
    vmov    \s0, \s2
    vmov    \s1, \s3
3:
    store_some \c, \s0, \s1
.endm

.macro store_whole c, s0, s1, s2, s3
    vst1.32 {\s0, \s1, \s2, \s3}, [\c]!
.endm

// Rows that are not there have the address of the last one, and are stored before it.
.macro store_rows store, n
  .if \n == 6
    \store  out5, d28, d29, d30, d31
    \store  out4, d24, d25, d26, d27
  .endif
  .if \n >= 4
    \store  out3, d20, d21, d22, d23
    \store  out2, d16, d17, d18, d19
  .endif
    \store  out1, d12, d13, d14, d15
    \store  out0, d8, d9, d10, d11
.endm

// c[n rows][cols] = a[n rows] * b
.macro some_rows n
    str     out0, [sp, #ROW_0]
    ldr     b_at, [sp, #COLUMNS]
    ldr     left, [sp, #COLS]
10:                                                 // eight columns
    mov     a_at, panel
    vldmia  sp, {d8-d15}
  .if \n >= 4
    vldmia  sp, {d16-d23}
  .endif
  .if \n == 6
    vldmia  sp, {d24-d31}
  .endif
    subs    count, depths, #4
    blo     12f
11:                                                 // n=6: 58 instructions, 768 MACs
   .rept 4
    four_depths \n
   .endr
    subs    count, count, #4
    bhs     11b
12:
    adds    count, count, #4
    beq     14f
13:                                                 // n=6: 16 instructions, 192 MACs
    four_depths \n
    subs    count, count, #1
    bne     13b
14:
    subs    left, left, #8
    blo     15f
    store_rows store_whole, \n
    bhi     10b
    b       16f
15:                                                 // -7 to -1 are left, whose lowest bits are those of 1 to 7
    store_rows store_part, \n
16:
.endm

    .p2align 4
    .global matmul_s8s32_packed_6x8_dotprod
    .type   matmul_s8s32_packed_6x8_dotprod, %function
matmul_s8s32_packed_6x8_dotprod:
    push    {r4-r11, lr}
    vpush   {d8-d15}
    sub     sp, sp, #LOCALS
    mov     rows, r3
    str     r1, [sp, #COLUMNS]
    vmov.i32 q0, #0
    vmov.i32 q1, #0
    add     r4, sp, #ZEROS
    vst1.32 {d0, d1, d2, d3}, [r4]!
    vst1.32 {d0, d1, d2, d3}, [r4]
    ldr     depths, [sp, #DEPTH]
    add     depths, depths, #3
    lsr     depths, depths, #2
    ldr     pitch, [sp, #C_PITCH]
    lsl     pitch, pitch, #2
    str     pitch, [sp, #PITCH]

.Lrows:
    str     rows, [sp, #ROWS]
    cmp     rows, #2
    point_at_two_rows out0, out1, out2, pitch
    bls     .Ltwo
    cmp     rows, #4
    point_at_two_rows out2, out3, out4, pitch
    bls     .Lfour
    cmp     rows, #6
    point_at_two_rows out4, out5, , pitch
    some_rows 6
    ldr     rows, [sp, #ROWS]
    subs    rows, rows, #6
    bls     .Ldone
    mov     panel, a_at
    ldr     pitch, [sp, #PITCH]
    ldr     out0, [sp, #ROW_0]
    add     out0, out0, pitch, lsl #2
    add     out0, out0, pitch, lsl #1
    b       .Lrows
.Lfour:
    some_rows 4
    b       .Ldone
.Ltwo:
    some_rows 2
.Ldone:
    add     sp, sp, #LOCALS
    vpop    {d8-d15}
    pop     {r4-r11, pc}
    .size   matmul_s8s32_packed_6x8_dotprod, . - matmul_s8s32_packed_6x8_dotprod

    .section .note.GNU-stack,"",%progbits
