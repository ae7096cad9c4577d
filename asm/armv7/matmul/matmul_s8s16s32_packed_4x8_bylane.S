/*toml
summary   = "c[m][n] = sum_k a[m][k] * b[k][n], int8 x int16 -> int32, both operands packed, vmlal by lane"
prototype = "void (const int8_t *a, const int16_t *b, int32_t *c, size_t rows, size_t cols, size_t depth, size_t c_pitch)"
isa       = ["armv7-a", "neon"]
stack     = 100
[args]
a       = { reg = "r0", read = "4*((rows+3)//4)*depth", layout = "rows4_depth1", dtype = "int8" }
b       = { reg = "r1", read = "2*8*((cols+7)//8)*depth", layout = "cols8_depth1", dtype = "int16", align = 4 }
c       = { reg = "r2", write = { rows = "rows", bytes = "4*cols", pitch = "4*c_pitch" }, layout = "rows", dtype = "int32" }
rows    = { reg = "r3", range = [1, 1048576] }
cols    = { reg = "stack+0", range = [1, 1048576] }
depth   = { reg = "stack+4", range = [1, 511] }
c_pitch = { reg = "stack+8", range = [1, 1048576] }
[counts]
macs = "rows*cols*depth"
*/

// For activations of 16 bits and weights of 8: a, the rows, are the weights.
//
// The loops, outermost first; the tile is 4 rows x 8 columns:
//
//     for each 4 rows of a                  the last 1-3 as 4, of which 1-3 are stored
//         for each 8 columns of b           the last 1-7 as 8, of which 1-7 are stored
//             for each 4 of depth           then one at a time
//                 sums[4][8] += a[4][4] * b[4][8]
//             c[4][8] = sums
//
// How the operands lie: a in panels of 4 rows, b in panels of 8 columns, each filled up with zeros to its full width;
// within a panel one depth of all rows (columns), then the next. c has rows of c_pitch elements, c_pitch >= cols.
//
// The tile, and where it lives. The rows of a depth are widened to int16, so that each is a lane:
//
//                        8 columns of 4 depths
//                           +-----+-----+
//                           | d4  | d5  |       d6-d11 the next three; d12, d13: rows as they
//                           +-----+-----+       are loaded, int8
//      4 rows of    +----+  +-----+-----+
//      4 depths     | d0 |  | q8  | q9  |  row 0
//                   | d1 |  | q10 | q11 |      1
//                   | d2 |  | q12 | q13 |      2
//                   | d3 |  | q14 | q15 |      3
//                   +----+  +-----+-----+
//                             sums, int32
//
// q7 is not used: a fifth row would leave no place for its sums beside those of the others and the columns.
//
// Any int8 and any int16 will do up to the depth allowed: 511 * 2^7 * 2^15 = 2 143 289 344 is the last below 2^31.
//
// Why b is aligned: vldm faults on an address that is no multiple of 4.
//
// Cost of the hot loop, per 4 rows x 8 columns x 4 depths = 128 MACs:
//     32 vmlal, 2 to widen, 1 vld1, 1 vldm, 2 for the loop = 38 instructions, 0.297 per MAC.
// The floor is one vmlal for 4 MACs, 32 or 0.25 per MAC: nothing multiplies int8 by int16, so that one side is widened.
// Around the hot loop a tile costs 20 instructions, whatever the depth: 8 to clear the sums, 4 to store them, the rest to
// start over and to find that nothing is left over.
// The bytes: 80 loaded for 128 MACs, 4 stored for each output, once.
// No prefetch: two ascending streams; that of a comes back from the cache for every 8 columns.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

panel   .req r0             // of 4 rows: where a starts over for each 8 columns
columns .req r1             // all of b
out0    .req r2             // row 0 of the tile, walks along the columns
rows    .req r3             // counts down
a_at    .req r4
b_at    .req r5
out1    .req r6
out2    .req r7
out3    .req r8
left    .req r9             // columns left, counts down
depths  .req r10
pitch   .req r11            // of c, in bytes
cols    .req r12
count   .req lr             // depths left, counts down

#define FRAME 100           /* d8-d15, r4-r11 and lr: below the arguments on the stack */

#include "../include/function.inc"
#include "../include/store_8_sums.inc"

// s[r] (8 columns) += w, wh (8 columns) * row r, one depth, for every row r: 4 MACs an instruction
.macro dots w, wh, rows
    vmlal.s16 q8, \w, \rows[0]
    vmlal.s16 q9, \wh, \rows[0]
    vmlal.s16 q10, \w, \rows[1]
    vmlal.s16 q11, \wh, \rows[1]
    vmlal.s16 q12, \w, \rows[2]
    vmlal.s16 q13, \wh, \rows[2]
    vmlal.s16 q14, \w, \rows[3]
    vmlal.s16 q15, \wh, \rows[3]
.endm

function matmul_s8s16s32_packed_4x8_bylane
    save_all
    ldr     cols, [sp, #FRAME]
    ldr     depths, [sp, #(FRAME + 4)]
    ldr     pitch, [sp, #(FRAME + 8)]
    lsl     pitch, pitch, #2

.Lrows:
    cmp     rows, #2
    point_at_two_rows out0, out1, out2, pitch
    cmp     rows, #4
    point_at_two_rows out2, out3, , pitch
    mov     b_at, columns
    mov     left, cols
.Lcolumns:
    mov     a_at, panel
  .irp s, q8, q9, q10, q11, q12, q13, q14, q15
    vmov.i32 \s, #0
  .endr
    subs    count, depths, #4
    blo     .Lfewer_than_four_depths
.Lfour_depths:                                      // 38 instructions, 128 MACs
    vld1.8  {d12, d13}, [a_at]!
    vldmia  b_at!, {d4-d11}
    vmovl.s8 q0, d12
    vmovl.s8 q1, d13
    dots    d4, d5, d0
    dots    d6, d7, d1
    dots    d8, d9, d2
    subs    count, count, #4
    dots    d10, d11, d3
    bhs     .Lfour_depths
.Lfewer_than_four_depths:
    adds    count, count, #4
    beq     .Lall_depths
.Lone_depth:                                        // 13 instructions, 32 MACs
    vld1.32 {d12[0]}, [a_at]!
    vld1.16 {d4, d5}, [b_at]!
    vmovl.s8 q0, d12
    subs    count, count, #1
    dots    d4, d5, d0
    bne     .Lone_depth
.Lall_depths:
    subs    left, left, #8
    blo     .Lpart
    vst1.32 {d28, d29, d30, d31}, [out3]!
    vst1.32 {d24, d25, d26, d27}, [out2]!
    vst1.32 {d20, d21, d22, d23}, [out1]!
    vst1.32 {d16, d17, d18, d19}, [out0]!
    bhi     .Lcolumns
.Lnext_rows:
    subs    rows, rows, #4
    bls     .Ldone
    mov     panel, a_at
    add     out0, out0, pitch, lsl #2
    sub     out0, out0, cols, lsl #2
    b       .Lrows
.Lpart:                                             // -7 to -1 are left, whose lowest bits are those of 1 to 7
    store_part out3, d28, d29, d30, d31
    store_part out2, d24, d25, d26, d27
    store_part out1, d20, d21, d22, d23
    store_part out0, d16, d17, d18, d19
    b       .Lnext_rows
.Ldone:
    restore_all_and_return
end_function matmul_s8s16s32_packed_4x8_bylane
