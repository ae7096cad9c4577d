/*toml
summary   = "c[m][n] = sum_k a[m][k] * b[k][n], float32, both operands packed, vmla by element"
prototype = "void (const float *a, const float *b, float *c, size_t rows, size_t cols, size_t depth, size_t c_pitch)"
isa       = ["armv7-a", "neon"]
stack     = 180
[args]
a       = { reg = "r0", read = "4*6*((rows+5)//6)*depth", layout = "rows6_depth1", dtype = "float32", range = [-1.0, 1.0] }
b       = { reg = "r1", read = "4*8*((cols+7)//8)*depth", layout = "cols8_depth1", dtype = "float32", range = [-1.0, 1.0] }
c       = { reg = "r2", write = { rows = "rows", bytes = "4*cols", pitch = "4*c_pitch" }, layout = "rows", dtype = "float32" }
rows    = { reg = "r3", range = [1, 1048576] }
cols    = { reg = "stack+0", range = [1, 1048576] }
depth   = { reg = "stack+4", range = [1, 131071] }
c_pitch = { reg = "stack+8", range = [1, 1048576] }
[counts]
macs = "rows*cols*depth"
*/

// What the integer kernels are measured against. The loops, the tile and its registers are those of
// matmul_s8s32_packed_6x8_dotprod: an element of 32 bits takes the place of 4 of 8 bits, vmla by element that of vsdot by
// element, and a step of the loop is one depth.
//
// How the operands lie: a in panels of 6 rows, b in panels of 8 columns, each filled up with zeros to its full width;
// within a panel one depth of all rows (columns), then the next. c has rows of c_pitch elements, c_pitch >= cols.
//
// Product and sum are rounded one after the other, in the order of depth, from 0, and what is too small for a normal
// number is 0. Exact, and the same in any order, where all products and sums are whole multiples of one power of two and
// less than 2^24 times that: multiples of 1/128 in [-1, 1], which 8 bits quantize to, up to a depth of 1024. The range is
// where this was tried, not a limit.
//
// Cost of the hot loop, per 6 rows x 8 columns x 4 depths = 192 MACs:
//     48 vmla, 8 vld1, 2 for the loop = 58 instructions, 0.302 per MAC.
// The floor is one vmla for 4 MACs, 48 or 0.25 per MAC: the sums leave no room to load more than one depth at a time,
// which takes one vld1 for each operand. Around the hot loop a tile costs 17 instructions, whatever the depth: 3 to clear
// the sums, 6 to store them, the rest to start over and to find that nothing is left over.
// The bytes: 224 loaded for 192 MACs, 4 stored for each output, once.
// No prefetch: two ascending streams; that of a comes back from the cache for every 8 columns.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
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
depths .req r9
count  .req r10             // depths left, counts down
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

// s (4 columns) += w (4 columns) * lane (a row), one depth: 4 MACs
.macro multiply s, w, lane
    vmla.f32 \s, \w, \lane
.endm

#include "include/matmul_packed_6x8.inc"

    .p2align 4
    .global matmul_f32f32_packed_6x8
    .type   matmul_f32f32_packed_6x8, %function
matmul_f32f32_packed_6x8:
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
    ldr     pitch, [sp, #C_PITCH]
    lsl     pitch, pitch, #2
    str     pitch, [sp, #PITCH]
    matmul_6x8
    add     sp, sp, #LOCALS
    vpop    {d8-d15}
    pop     {r4-r11, pc}
    .size   matmul_f32f32_packed_6x8, . - matmul_f32f32_packed_6x8

    .section .note.GNU-stack,"",%progbits
