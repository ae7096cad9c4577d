/*toml
summary   = "c[m][n] = sum_k a[m][k] * b[k][n], int8 x int8 -> int32, both operands packed, vsdot by element"
prototype = "void (const int8_t *a, const int8_t *b, int32_t *c, size_t rows, size_t cols, size_t depth, size_t c_pitch)"
isa       = ["armv8.2-a", "a32", "neon", "dotprod"]
stack     = 180
[args]
a       = { reg = "r0", read = "6*((rows+5)//6)*4*((depth+3)//4)", layout = "rows6_depth4", dtype = "int8" }
b       = { reg = "r1", read = "8*((cols+7)//8)*4*((depth+3)//4)", layout = "cols8_depth4", dtype = "int8" }
c       = { reg = "r2", write = { rows = "rows", bytes = "4*cols", pitch = "4*c_pitch" }, layout = "rows", dtype = "int32" }
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
// find that nothing is left over. At a depth of 32 the tile cannot cost less than 96 + 16 + 3 + 6 = 121, 0.0788 per
// MAC.
// The bytes: 224 loaded for 768 MACs, 4 stored for each output, once.
// No prefetch: two ascending streams; that of a comes back from the cache for every 8 columns.

    .syntax unified
    .arch   armv8.2-a
    .fpu    neon-fp-armv8
    .arch_extension dotprod
    .arm
    .text

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

// s (4 columns) += w (4 depths of 4 columns) * lane (4 depths of a row): 16 MACs
.macro multiply s, w, lane
    vsdot.s8 \s, \w, \lane
.endm

.macro start_rows
.endm

.macro start_sums n
    vldmia  sp, {d8-d15}
  .if \n >= 4
    vldmia  sp, {d16-d23}
  .endif
  .if \n == 6
    vldmia  sp, {d24-d31}
  .endif
.endm

.macro finish_sums n
.endm

#include "matmul_packed_6x8.inc"

function matmul_s8s32_packed_6x8_dotprod
    save_all
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
    matmul_6x8
    add     sp, sp, #LOCALS
    restore_all_and_return
end_function matmul_s8s32_packed_6x8_dotprod
