/*toml
summary   = "c[m][n] = sum_k (a[m][k] - a_zero) * (b[k][n] - b_zero) + bias[n], requantized as in ruy to uint8"
prototype = "void (const uint8_t *a, const uint8_t *b, uint8_t *c, size_t rows, size_t cols, size_t depth, size_t c_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *points)"
isa       = ["armv8.0-a", "neon"]
stack     = 112
[args]
a           = { reg = "x0", read = "8*((rows+7)//8)*depth", layout = "rows8_depth1", dtype = "uint8" }
b           = { reg = "x1", read = "8*((cols+7)//8)*depth", layout = "cols8_depth1", dtype = "uint8" }
c           = { reg = "x2", write = { rows = "rows", bytes = "cols", pitch = "c_pitch" }, layout = "rows", dtype = "uint8" }
rows        = { reg = "x3", range = [1, 1048576] }
cols        = { reg = "x4", range = [1, 1048576] }
depth       = { reg = "x5", range = [1, 24768] }
c_pitch     = { reg = "x6", range = [1, 1048576] }
bias        = { reg = "x7", read = "4*8*((cols+7)//8)", layout = "cols8", dtype = "int32", range = [-536870912, 536870912] }
multipliers = { reg = "stack+0", read = "4*8*((cols+7)//8)", layout = "cols8", dtype = "int32", range = [1073741824, 2147483647] }
shifts      = { reg = "stack+8", read = "4*8*((cols+7)//8)", layout = "cols8", dtype = "int32", range = [-31, 7] }
points      = { reg = "stack+16", read = "10", layout = "a_b_c_lowest_highest", dtype = "int16", range = [0, 255] }
[counts]
macs = "rows*cols*depth"
*/

// ruy's product of uint8 with a zero point on either side, in the shape of QNNPACK's kernel: 8 rows x 8 columns, zero
// points taken off as the operands come in, products of int16 in int32. No product is too large and no sum needs mending;
// what that takes is a multiply for 4 MACs, not for 16 / 3. The loops and the tile are in
// include/matmul_u8u8_packed_8x8_bylane.inc.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; bias, multipliers
// and shifts have an element for each column, filled up to a multiple of 8. points holds the zero points of a, b and c,
// the lowest and the highest value.
//
// The int32 sums are safe: 24768 * 255 * 255 + 2^29 < 2^31.
//
// Cost of the hot loop, per 8 rows x 8 columns x 8 depths = 512 MACs: 128 smlal, 16 usubl, 4 ld1, 2 for the loop = 150
// instructions, 0.293 per MAC. The floor of this form is one smlal for 4 MACs, 128 or 0.25 per MAC. Around the hot loop
// a tile costs 134 instructions, 106 of them to turn 64 sums into 64 uint8: 56 to scale, 40 to narrow, add the zero
// point and clamp, the rest to load what that takes.

    .arch armv8-a
    .text

panel       .req x0         // of 8 rows: where a starts over for each 8 columns
columns     .req x1         // all of b
out0        .req x2         // row 0 of the tile, walks along the columns
rows        .req x3         // counts down
cols        .req x4
depth       .req x5
pitch       .req x6
bias        .req x7
a_at        .req x8
b_at        .req x9
count       .req x10        // depths left, counts down
left        .req x11        // columns left, counts down
out1        .req x12
out2        .req x13
out3        .req x14
out4        .req x15
out5        .req x16
out6        .req x17
out7        .req x19
done        .req x20        // 4 * columns done
at          .req x21        // where in bias and the like
points      .req x22
multipliers .req x23
shifts      .req x24

t0           .req v8        // free while sums are scaled
t1           .req v9
t3           .req v11

#include "include/requantize_ruy.inc"
#include "include/matmul_u8u8_packed_8x8_bylane.inc"

    .p2align 4
    .global matmul_u8u8_packed_8x8_bylane_zp_ruy
    .type   matmul_u8u8_packed_8x8_bylane_zp_ruy, %function
matmul_u8u8_packed_8x8_bylane_zp_ruy:
    stp     d8, d9, [sp, #-112]!
    stp     d10, d11, [sp, #16]
    stp     d12, d13, [sp, #32]
    stp     d14, d15, [sp, #48]
    stp     x19, x20, [sp, #64]
    stp     x21, x22, [sp, #80]
    stp     x23, x24, [sp, #96]
    ldp     multipliers, shifts, [sp, #112]
    ldr     points, [sp, #128]
    matmul_u8_8x8
    ldp     x23, x24, [sp, #96]
    ldp     x21, x22, [sp, #80]
    ldp     x19, x20, [sp, #64]
    ldp     d10, d11, [sp, #16]
    ldp     d12, d13, [sp, #32]
    ldp     d14, d15, [sp, #48]
    ldp     d8, d9, [sp], #112
    ret
    .size   matmul_u8u8_packed_8x8_bylane_zp_ruy, . - matmul_u8u8_packed_8x8_bylane_zp_ruy

    .section .note.GNU-stack,"",%progbits
