/*toml
summary   = "c[m][n] = sum_k a[m][k] * b[k][n] + bias[n], requantized as in gemmlowp and TFLite to int8, both operands packed"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *c, size_t rows, size_t cols, size_t depth, size_t c_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv8.0-a", "neon"]
stack     = 80
[args]
a           = { reg = "x0", read = "4*((rows+3)//4)*16*((depth+15)//16)", layout = "rows4_depth16", dtype = "int8", range = [-128, 127] }
b           = { reg = "x1", read = "4*((cols+3)//4)*16*((depth+15)//16)", layout = "cols4_depth16", dtype = "int8", range = [-127, 127] }
c           = { reg = "x2", write = { rows = "rows", bytes = "cols", pitch = "c_pitch" }, layout = "rows", dtype = "int8" }
rows        = { reg = "x3", range = [1, 1048576] }
cols        = { reg = "x4", range = [1, 1048576] }
depth       = { reg = "x5", range = [1, 65536] }
c_pitch     = { reg = "x6", range = [1, 1048576] }
bias        = { reg = "x7", read = "4*4*((cols+3)//4)", layout = "cols4", dtype = "int32", range = [-536870912, 536870912] }
multipliers = { reg = "stack+0", read = "4*4*((cols+3)//4)", layout = "cols4", dtype = "int32", range = [1073741824, 2147483647] }
shifts      = { reg = "stack+8", read = "4*4*((cols+3)//4)", layout = "cols4", dtype = "int32", range = [-31, 7] }
range       = { reg = "stack+16", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
[counts]
macs = "rows*cols*depth"
*/

// The loops, the tile and the layout of the operands are those of matmul_s8s32_packed_4x4, and so is the reason why no
// element of b is -128; here the sums leave as int8. A column is an output channel, with a scale of its own.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each column, filled up to a multiple of 4.
//
// A zero point of a, z, is the bias's business: bias[n] - z * sum_k b[k][n]; b, the weights, has none.
//
// The int32 sums are safe: they stay below 65536 * 128 * 127 + 2^29 < 2^31.
//
// Cost of the hot loop, per 4 rows x 4 columns x 32 depths = 512 MACs: 102 instructions, 0.199 per MAC, as without
// requantization, 6 % above its floor of 96. Around it a tile costs 65 instructions, 44 of them to turn 16 sums into 16
// int8: 4 to add the bias, 22 to scale, 10 to narrow, add the zero point and clamp, the rest to load what that takes.

    .arch armv8-a
    .text

panel       .req x0         // of 4 rows: where a starts over for each 4 columns
columns     .req x1         // all of b
out0        .req x2         // row 0 of the tile, walks along the columns
store       .req x2
rows        .req x3         // counts down
cols        .req x4
depths      .req x5         // in sixteens, without the first
pitch       .req x6         // of c
bias        .req x7
a_at        .req x8
b_at        .req x9
count       .req x10        // pairs of sixteens left, counts down
left        .req x11        // columns left, counts down
outputs     .req x11
out1        .req x12
store1      .req x12
out2        .req x13
store2      .req x13
out3        .req x14
store3      .req x14
pairs       .req x15        // of sixteens after the first and, if depths is odd, the second
done        .req x16        // 4 * columns done
range       .req x17
multipliers .req x19
shifts      .req x20

t0          .req v8         // free while sums are scaled
t1          .req v9
t2          .req v10
t3          .req v11
zero        .req v13        // for the output
lowest      .req v14
highest     .req v15

#include "include/matmul_packed_4x4.inc"
#include "include/requantize_gemmlowp.inc"
#include "include/requantized_tile_4x4.inc"

.macro start_rows
    start_pixels
.endm

.macro next_rows
    add     out0, out0, pitch, lsl #2
    sub     out0, out0, cols
.endm

    .p2align 4
    .global matmul_s8s8_packed_4x4_gemmlowp
    .type   matmul_s8s8_packed_4x4_gemmlowp, %function
matmul_s8s8_packed_4x4_gemmlowp:
    stp     d8, d9, [sp, #-80]!
    stp     d10, d11, [sp, #16]
    stp     d12, d13, [sp, #32]
    stp     d14, d15, [sp, #48]
    stp     x19, x20, [sp, #64]
    ldp     multipliers, shifts, [sp, #80]
    ldr     range, [sp, #96]
    matmul_4x4
    ldp     x19, x20, [sp, #64]
    ldp     d10, d11, [sp, #16]
    ldp     d12, d13, [sp, #32]
    ldp     d14, d15, [sp, #48]
    ldp     d8, d9, [sp], #80
    ret
    .size   matmul_s8s8_packed_4x4_gemmlowp, . - matmul_s8s8_packed_4x4_gemmlowp

    .section .note.GNU-stack,"",%progbits
