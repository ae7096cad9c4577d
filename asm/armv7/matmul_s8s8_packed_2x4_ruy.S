/*toml
summary   = "c[m][n] = sum_k a[m][k] * b[k][n] + bias[n], requantized as in ruy to int8, both operands packed"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *c, size_t rows, size_t cols, size_t depth, size_t c_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv7-a", "neon"]
stack     = 104
[args]
a           = { reg = "r0", read = "2*((rows+1)//2)*16*((depth+15)//16)", layout = "rows2_depth16", dtype = "int8", range = [-128, 127], align = 16 }
b           = { reg = "r1", read = "4*((cols+3)//4)*16*((depth+15)//16)", layout = "cols4_depth16", dtype = "int8", range = [-127, 127], align = 16 }
c           = { reg = "r2", write = { rows = "rows", bytes = "cols", pitch = "c_pitch" }, layout = "rows", dtype = "int8" }
rows        = { reg = "r3", range = [1, 1048576] }
cols        = { reg = "stack+0", range = [1, 1048576] }
depth       = { reg = "stack+4", range = [1, 65536] }
c_pitch     = { reg = "stack+8", range = [1, 1048576] }
bias        = { reg = "stack+12", read = "4*4*((cols+3)//4)", layout = "cols4", dtype = "int32", range = [-536870912, 536870912] }
multipliers = { reg = "stack+16", read = "4*4*((cols+3)//4)", layout = "cols4", dtype = "int32", range = [1073741824, 2147483647] }
shifts      = { reg = "stack+20", read = "4*4*((cols+3)//4)", layout = "cols4", dtype = "int32", range = [-31, 7] }
range       = { reg = "stack+24", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
[counts]
macs = "rows*cols*depth"
*/

// The loops, the tile and the layout of the operands are those of matmul_s8s32_packed_2x4, and so are the reasons why no
// element of b is -128 and why operands are aligned; here the sums leave as int8. A column is an output channel, with a scale of its own.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each column, filled up to a multiple of 4.
//
// A zero point of a, z, is the bias's business: bias[n] - z * sum_k b[k][n]; b, the weights, has none.
//
// The int32 sums are safe: they stay below 65536 * 128 * 127 + 2^29 < 2^31.
//
// Cost of the hot loop, per 2 rows x 4 columns x 32 depths = 256 MACs: 54 instructions, 0.211 per MAC, as without
// requantization, 12 % above its floor of 48. Around it a tile costs 54 instructions, 34 of them to turn 8 sums into 8
// int8: 9 to scale, 10 to add the bias, narrow, add the zero point and clamp, the rest to load what that takes.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

panel   .req r0             // of 2 rows: where a starts over for each 4 columns
columns .req r1             // all of b
out0    .req r2             // row 0 of the tile, walks along the columns
store   .req r2
rows    .req r3             // counts down
a_at    .req r4
b_at    .req r5
out1    .req r6
store1  .req r6
left    .req r7             // columns left, counts down
outputs .req r7
count   .req r8             // pairs of sixteens left, counts down
done    .req r8             // between the tiles
depths  .req r9             // in sixteens, without the first
pairs   .req r10            // of sixteens after the first and, if depths is odd, the second
pitch   .req r11            // of c
out_channels .req r11
cols    .req r12
at      .req lr

// The frame, from sp upwards. It need not be a multiple of 8: nothing is called from here.
#define DONE         0      /* 4 * columns done */
#define LOCALS       4
#define FRAME        104    /* LOCALS, d8-d15, r4-r11 and lr */
#define COLS         FRAME
#define DEPTH        (FRAME + 4)
#define PITCH        (FRAME + 8)
#define BIAS         (FRAME + 12)
#define MULTIPLIERS  (FRAME + 16)
#define SHIFTS       (FRAME + 20)
#define RANGE        (FRAME + 24)

#include "include/matmul_packed_2x4.inc"
#include "include/requantize_ruy.inc"
#include "include/requantized_tile_2x4.inc"

.macro start_rows
    start_pixels 1                                  // out1 is where it should be
.endm

.macro next_rows
    add     out0, out0, pitch, lsl #1
    sub     out0, out0, cols
.endm

    .p2align 4
    .global matmul_s8s8_packed_2x4_ruy
    .type   matmul_s8s8_packed_2x4_ruy, %function
matmul_s8s8_packed_2x4_ruy:
    push    {r4-r11, lr}
    vpush   {d8-d15}
    sub     sp, sp, #LOCALS
    ldr     cols, [sp, #COLS]
    ldr     depths, [sp, #DEPTH]
    ldr     pitch, [sp, #PITCH]
    matmul_2x4
    add     sp, sp, #LOCALS
    vpop    {d8-d15}
    pop     {r4-r11, pc}
    .size   matmul_s8s8_packed_2x4_ruy, . - matmul_s8s8_packed_2x4_ruy

    .section .note.GNU-stack,"",%progbits
