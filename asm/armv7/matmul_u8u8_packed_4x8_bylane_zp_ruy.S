/*toml
summary   = "c[m][n] = sum_k (a[m][k] - a_zero) * (b[k][n] - b_zero) + bias[n], requantized as in ruy to uint8"
prototype = "void (const uint8_t *a, const uint8_t *b, uint8_t *c, size_t rows, size_t cols, size_t depth, size_t c_pitch, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *points)"
isa       = ["armv7-a", "neon"]
stack     = 112
[args]
a           = { reg = "r0", read = "4*((rows+3)//4)*depth", layout = "rows4_depth1", dtype = "uint8" }
b           = { reg = "r1", read = "8*((cols+7)//8)*depth", layout = "cols8_depth1", dtype = "uint8" }
c           = { reg = "r2", write = { rows = "rows", bytes = "cols", pitch = "c_pitch" }, layout = "rows", dtype = "uint8" }
rows        = { reg = "r3", range = [1, 1048576] }
cols        = { reg = "stack+0", range = [1, 1048576] }
depth       = { reg = "stack+4", range = [1, 24768] }
c_pitch     = { reg = "stack+8", range = [1, 1048576] }
bias        = { reg = "stack+12", read = "4*8*((cols+7)//8)", layout = "cols8", dtype = "int32", range = [-536870912, 536870912] }
multipliers = { reg = "stack+16", read = "4*8*((cols+7)//8)", layout = "cols8", dtype = "int32", range = [1073741824, 2147483647] }
shifts      = { reg = "stack+20", read = "4*8*((cols+7)//8)", layout = "cols8", dtype = "int32", range = [-31, 7] }
points      = { reg = "stack+24", read = "10", layout = "a_b_c_lowest_highest", dtype = "int16", range = [0, 255] }
[counts]
macs = "rows*cols*depth"
*/

// ruy's product of uint8 with a zero point on either side, in the shape of QNNPACK's kernel: 4 rows x 8 columns, zero
// points taken off as the operands come in, products of int16 in int32. No product is too large and no sum needs mending;
// what that takes is a multiply for 4 MACs, not for 16 / 3. The loops and the tile are in
// include/matmul_u8u8_packed_4x8_bylane.inc.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; bias, multipliers
// and shifts have an element for each column, filled up to a multiple of 8. points holds the zero points of a, b and c,
// the lowest and the highest value.
//
// The int32 sums are safe: 24768 * 255 * 255 + 2^29 < 2^31.
//
// Cost of the hot loop, per 4 rows x 8 columns x 8 depths = 256 MACs: 64 vmlal, 12 vsubl, 4 vld1, 2 for the loop = 82
// instructions, 0.320 per MAC. The floor of this form is one vmlal for 4 MACs, 64 or 0.25 per MAC. Around the hot loop a
// tile costs 84 instructions, 62 of them to turn 32 sums into 32 uint8: 29 to scale, 20 to narrow, add the zero point
// and clamp, the rest to load what that takes.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

panel       .req r0         // of 4 rows: where a starts over for each 8 columns
b_at        .req r1
out0        .req r2         // row 0 of the tile, walks along the columns
a_at        .req r3
out1        .req r4
out2        .req r5
out3        .req r6
count       .req r7         // depths left, counts down
left        .req r8         // columns left, counts down
done        .req r9         // 4 * columns done
at          .req r10        // where in bias and the like
depth       .req r11
rows        .req r12        // outside the loop over columns
pitch       .req lr         // outside the loop over columns

// The frame, from sp upwards. It need not be a multiple of 8: nothing is called from here.
#define COLUMNS     0       /* all of b */
#define ROWS        4       /* rows left */
#define ROW_0       8       /* the tile's first row in c, at column 0 */
#define LOCALS      12
#define FRAME       112     /* LOCALS, d8-d15, r4-r11 and lr */
#define COLS        FRAME
#define DEPTH       (FRAME + 4)
#define C_PITCH     (FRAME + 8)
#define BIAS        (FRAME + 12)
#define MULTIPLIERS (FRAME + 16)
#define SHIFTS      (FRAME + 20)
#define POINTS      (FRAME + 24)
#define UNSIGNED

#include "include/requantize_ruy.inc"
#include "include/requantized_tile_4x8.inc"
#include "include/matmul_u8u8_packed_4x8_bylane.inc"

    .p2align 4
    .global matmul_u8u8_packed_4x8_bylane_zp_ruy
    .type   matmul_u8u8_packed_4x8_bylane_zp_ruy, %function
matmul_u8u8_packed_4x8_bylane_zp_ruy:
    push    {r4-r11, lr}
    vpush   {d8-d15}
    sub     sp, sp, #LOCALS
    mov     rows, r3
    str     r1, [sp, #COLUMNS]
    ldr     depth, [sp, #DEPTH]
    matmul_u8_4x8
    add     sp, sp, #LOCALS
    vpop    {d8-d15}
    pop     {r4-r11, pc}
    .size   matmul_u8u8_packed_4x8_bylane_zp_ruy, . - matmul_u8u8_packed_4x8_bylane_zp_ruy

    .section .note.GNU-stack,"",%progbits
