/*toml
summary   = "c[m][n] = sum_k a[m][k] * b[k][n] + bias[n], requantized as in ruy to int8, both operands packed, sdot by element"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *c, size_t rows, size_t cols, size_t depth, size_t c_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv8.2-a", "neon", "dotprod"]
stack     = 112
[args]
a           = { reg = "x0", read = "8*((rows+7)//8)*4*((depth+3)//4)", layout = "rows8_depth4", dtype = "int8" }
b           = { reg = "x1", read = "12*((cols+11)//12)*4*((depth+3)//4)", layout = "cols12_depth4", dtype = "int8" }
c           = { reg = "x2", write = { rows = "rows", bytes = "cols", pitch = "c_pitch" }, layout = "rows", dtype = "int8" }
rows        = { reg = "x3", range = [1, 1048576] }
cols        = { reg = "x4", range = [1, 1048576] }
depth       = { reg = "x5", range = [1, 65536] }
c_pitch     = { reg = "x6", range = [1, 1048576] }
bias        = { reg = "x7", read = "4*12*((cols+11)//12)", layout = "cols12", dtype = "int32", range = [-536870912, 536870912] }
multipliers = { reg = "stack+0", read = "4*12*((cols+11)//12)", layout = "cols12", dtype = "int32", range = [1073741824, 2147483647] }
shifts      = { reg = "stack+8", read = "4*12*((cols+11)//12)", layout = "cols12", dtype = "int32", range = [-31, 7] }
range       = { reg = "stack+16", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
[counts]
macs = "rows*cols*depth"
*/

// The loops, the tile and the layout of the operands are those of matmul_s8s32_packed_8x12_dotprod; here the sums start
// from the bias and leave as int8. A column is an output channel, with a scale of its own.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each column, filled up to a multiple of 12.
//
// A zero point of a, z, is the bias's business: bias[n] - z * sum_k b[k][n]; b, the weights, has none.
//
// Any int8 will do: the sums stay below 65536 * 128 * 128 + 2^29 < 2^31.
//
// Cost of the hot loop, per 8 rows x 12 columns x 16 depths = 1536 MACs: 103 instructions, 0.0671 per MAC, as without
// requantization, 7 % above its floor of 96. Around it a tile costs 201 instructions, 169 of them to turn 96 sums into
// 96 int8: 84 to scale, 72 to narrow, add the zero point and clamp, the rest to load what that takes.

    .arch armv8.2-a+dotprod
    .text

panel       .req x0         // of 8 rows: where a starts over for each 12 columns
columns     .req x1         // all of b
out0        .req x2         // row 0 of the tile, walks along the columns
rows        .req x3         // counts down
cols        .req x4
depths      .req x5         // in fours
pitch       .req x6
bias        .req x7
a_at        .req x8
b_at        .req x9
count       .req x10        // depths left, in fours, counts down
left        .req x11        // columns left, counts down
out1        .req x12
out2        .req x13
out3        .req x14
out4        .req x15
out5        .req x16
out6        .req x17
out7        .req x19
done        .req x20        // 4 * columns done
at          .req x21        // where in bias
range       .req x22
multipliers .req x23
shifts      .req x24

t0          .req v2         // free while sums are scaled
t1          .req v3
t3          .req v5
zero        .req v0         // for the output
lowest      .req v1
highest     .req v2

// s (4 columns) += w (4 depths of 4 columns) * lane of a (4 depths of a row): 16 MACs
.macro multiply s, w, a, lane
    sdot    \s\().4s, \w\().16b, \a\().4b[\lane]
.endm

#include "include/matmul_packed_8x12_bylane.inc"
#include "include/requantize_ruy.inc"
#include "include/requantized_tile_8x12.inc"

    .p2align 4
    .global matmul_s8s8_packed_8x12_dotprod_ruy
    .type   matmul_s8s8_packed_8x12_dotprod_ruy, %function
matmul_s8s8_packed_8x12_dotprod_ruy:
    stp     d8, d9, [sp, #-112]!
    stp     d10, d11, [sp, #16]
    stp     d12, d13, [sp, #32]
    stp     d14, d15, [sp, #48]
    stp     x19, x20, [sp, #64]
    stp     x21, x22, [sp, #80]
    stp     x23, x24, [sp, #96]
    ldp     multipliers, shifts, [sp, #112]
    ldr     range, [sp, #128]
    add     depths, depths, #3
    lsr     depths, depths, #2
    matmul_8x12
    ldp     x23, x24, [sp, #96]
    ldp     x21, x22, [sp, #80]
    ldp     x19, x20, [sp, #64]
    ldp     d10, d11, [sp, #16]
    ldp     d12, d13, [sp, #32]
    ldp     d14, d15, [sp, #48]
    ldp     d8, d9, [sp], #112
    ret
    .size   matmul_s8s8_packed_8x12_dotprod_ruy, . - matmul_s8s8_packed_8x12_dotprod_ruy

    .section .note.GNU-stack,"",%progbits
