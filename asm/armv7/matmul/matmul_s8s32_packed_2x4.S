/*toml
summary   = "c[m][n] = sum_k a[m][k] * b[k][n], int8 x int8 -> int32, both operands packed, pairs of products in int16"
prototype = "void (const int8_t *a, const int8_t *b, int32_t *c, size_t rows, size_t cols, size_t depth, size_t c_pitch)"
isa       = ["armv7-a", "neon"]
stack     = 100
[args]
a       = { reg = "r0", read = "2*((rows+1)//2)*16*((depth+15)//16)", layout = "rows2_depth16", dtype = "int8", range = [-128, 127], align = 16 }
b       = { reg = "r1", read = "4*((cols+3)//4)*16*((depth+15)//16)", layout = "cols4_depth16", dtype = "int8", range = [-127, 127], align = 16 }
c       = { reg = "r2", write = { rows = "rows", bytes = "4*cols", pitch = "4*c_pitch" }, layout = "rows", dtype = "int32" }
rows    = { reg = "r3", range = [1, 1048576] }
cols    = { reg = "stack+0", range = [1, 1048576] }
depth   = { reg = "stack+4", range = [1, 131071] }
c_pitch = { reg = "stack+8", range = [1, 1048576] }
[counts]
macs = "rows*cols*depth"
*/

// The loops, outermost first; the tile is 2 rows x 4 columns:
//
//     for each 2 rows of a                  the last one as 2
//         for each 4 columns of b           the last 1-3 as 4, of which 1-3 are stored
//             for each 32 of depth          before it the first 16 or 32; the packing fills up the last 1-15
//                 sums[2][4] += a[2][32] * b[32][4]
//             c[2][4] = sums
//
// How the operands lie: a in panels of 2 rows, b in panels of 4 columns, each filled up with zeros to its full width.
// Within a panel 16 depths of the first row (column), 16 of the second and so on, then the next 16 depths. c has rows
// of c_pitch elements, c_pitch >= cols.
//
// The tile, and where it lives:
//
//                     16 depths of 4 columns
//                    +-----+-----+-----+-----+
//                    | q2  | q3  | q4  | q5  |
//                    +-----+-----+-----+-----+
//      16    +----+  +-----+-----+-----+-----+
//      depths| q0 |  | q8  | q9  | q10 | q11 |  row 0       q6, q7: two products added, int16, on their way into
//      of 2  | q1 |  | q12 | q13 | q14 | q15 |      1               the sums
//      rows  +----+  +-----+-----+-----+-----+
//                      sums: 4 x int32 each, to be added up across when all depths are in
//
// All 16 registers are taken. 3 x 3 would fit too and load less, but with one register for products: each multiply
// would wait for the one before it.
//
// Why b lies in [-127, 127]: vmull and vmlal add two products in int16. -128 * -127 twice is 32512 and -128 * 127
// twice is -32512, both int16; only -128 * -128 twice, 32768, is not. So a may be any int8, and b, the weights as a
// rule, may be anything but -128. The int32 sums are safe: 131071 * 128 * 127 = 2 130 690 176.
//
// Why the operands are aligned: vldm faults on an address that is no multiple of 4, and the loads of a say :128, which
// saves older cores a cycle.
//
// Cost of the hot loop, per 2 rows x 4 columns x 32 depths = 256 MACs:
//     16 vmull, 16 vmlal, 16 vpadal, 2 vld1, 2 vldm, 2 for the loop = 54 instructions, 0.211 per MAC.
// The floor is three instructions for 16 MACs, 48 or 0.1875 per MAC: of the 12 registers in each pass one vld1 loads 2,
// one vldm 4. Around the hot loop a tile costs 20 instructions, whatever the depth: 12 to add the sums up across, 2 to
// store them, the rest to start over and to find out how much is left. Nothing is cleared: the first 16 depths are
// stored as sums, not added to them. At a depth of 32 the tile cannot cost less than 48 + 4 + 12 + 2 = 66, 0.258 per
// MAC.
// The bytes: 192 loaded for 256 MACs, 4 stored for each output, once.
// No prefetch: two ascending streams; that of a comes back from the cache for every 4 columns.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

#define FRAME 100           /* d8-d15, r4-r11 and lr: below the arguments on the stack */

#include "../include/function.inc"
#include "matmul_packed_2x4.inc"

.macro start_rows
.endm

.macro finish_sums n
.endm

.macro store_sums n
    vst1.32 {d18, d19}, [out1]!
    vst1.32 {d16, d17}, [out0]!
.endm

.macro store_part_of_sums n
    store_some out1, d18, d19
    store_some out0, d16, d17
.endm

.macro next_rows
    add     out0, out0, pitch, lsl #1
    sub     out0, out0, cols, lsl #2
.endm

function matmul_s8s32_packed_2x4
    save_all
    ldr     cols, [sp, #FRAME]
    ldr     depths, [sp, #(FRAME + 4)]
    ldr     pitch, [sp, #(FRAME + 8)]
    lsl     pitch, pitch, #2
    matmul_2x4
    restore_all_and_return
end_function matmul_s8s32_packed_2x4
