/*toml
summary   = "c[m][n] = sum_k a[m][k] * b[k][n], float32, both operands packed, fmla by element"
prototype = "void (const float *a, const float *b, float *c, size_t rows, size_t cols, size_t depth, size_t c_pitch)"
isa       = ["armv8.0-a", "neon"]
stack     = 128
[args]
a       = { reg = "x0", read = "4*8*((rows+7)//8)*depth", layout = "rows8_depth1", dtype = "float32", range = [-1.0, 1.0] }
b       = { reg = "x1", read = "4*12*((cols+11)//12)*depth", layout = "cols12_depth1", dtype = "float32", range = [-1.0, 1.0] }
c       = { reg = "x2", write = { rows = "rows", bytes = "4*cols", pitch = "4*c_pitch" }, layout = "rows", dtype = "float32" }
rows    = { reg = "x3", range = [1, 1048576] }
cols    = { reg = "x4", range = [1, 1048576] }
depth   = { reg = "x5", range = [1, 131071] }
c_pitch = { reg = "x6", range = [1, 1048576] }
[counts]
macs = "rows*cols*depth"
*/

// What the integer kernels are measured against. The loops, the tile and its registers are those of
// matmul_s8s32_packed_8x12_dotprod: an element of 32 bits takes the place of 4 of 8 bits, fmla by element that of sdot by
// element, and a step of the loop is one depth.
//
// How the operands lie: a in panels of 8 rows, b in panels of 12 columns, each filled up with zeros to its full width;
// within a panel one depth of all rows (columns), then the next. c has rows of c_pitch elements, c_pitch >= cols.
//
// Each sum is rounded once for each depth, in the order of depth, from 0. It is exact, and the same in any order, where
// all products and sums are whole multiples of one power of two and less than 2^24 times that: multiples of 1/128 in
// [-1, 1], which 8 bits quantize to, up to a depth of 1024. The range is where this was tried, not a limit: any other
// values give what fmla gives.
//
// Cost of the hot loop, per 8 rows x 12 columns x 4 depths = 384 MACs:
//     96 fmla, 5 ld1, 2 for the loop = 103 instructions, 0.268 per MAC.
// The floor is one fmla for 4 MACs, 96 or 0.25 per MAC: 20 registers cannot be loaded in less than 5 ld1. Around the hot
// loop a tile costs 21 instructions, whatever the depth: 6 to clear the sums, 8 to store them, the rest to start over and
// to find that nothing is left over.
// The bytes: 320 loaded for 384 MACs, 4 stored for each output, once.
// No prefetch: two ascending streams; that of a comes back from the cache for every 12 columns.

    .arch armv8-a
    .text

panel   .req x0             // of 8 rows: where a starts over for each 12 columns
columns .req x1             // all of b
out0    .req x2             // row 0 of the tile, walks along the columns
rows    .req x3             // counts down
cols    .req x4
depths  .req x5
pitch   .req x6             // of c, in bytes
out7    .req x7
a_at      .req x8
b_at      .req x9
count   .req x10            // depths left, counts down
left    .req x11            // columns left, counts down
out1    .req x12
out2    .req x13
out3    .req x14
out4    .req x15
out5    .req x16
out6    .req x17

// s (4 columns) += w (4 columns) * lane of a (a row), one depth: 4 MACs
.macro multiply s, w, a, lane
    fmla    \s\().4s, \w\().4s, \a\().s[\lane]
.endm

#include "include/matmul_packed_8x12_bylane.inc"
#include "include/store_12_sums.inc"

.macro start_rows
.endm

.macro start_sums rows
  .if \rows == 8
    ld1     {v8.16b, v9.16b, v10.16b, v11.16b}, [sp]
    ld1     {v12.16b, v13.16b, v14.16b, v15.16b}, [sp]
    ld1     {v16.16b, v17.16b, v18.16b, v19.16b}, [sp]
    ld1     {v20.16b, v21.16b, v22.16b, v23.16b}, [sp]
    ld1     {v24.16b, v25.16b, v26.16b, v27.16b}, [sp]
    ld1     {v28.16b, v29.16b, v30.16b, v31.16b}, [sp]
  .else
    ld1     {v8.16b, v9.16b, v10.16b, v11.16b}, [sp]
    ld1     {v12.16b, v13.16b, v14.16b, v15.16b}, [sp]
    ld1     {v16.16b, v17.16b, v18.16b, v19.16b}, [sp]
  .endif
.endm

.macro finish_sums rows
.endm

// Rows that are not there have the address of the last one, and are stored before it.
.macro store_rows store, rows, vectors
  .if \rows == 8
    \store  \vectors, out7, v29, v30, v31
    \store  \vectors, out6, v26, v27, v28
    \store  \vectors, out5, v23, v24, v25
    \store  \vectors, out4, v20, v21, v22
  .endif
    \store  \vectors, out3, v17, v18, v19
    \store  \vectors, out2, v14, v15, v16
    \store  \vectors, out1, v11, v12, v13
    \store  \vectors, out0, v8, v9, v10
.endm

.macro next_rows
    add     out0, out0, pitch, lsl #3
    sub     out0, out0, cols, lsl #2
.endm

    .p2align 4
    .global matmul_f32f32_packed_8x12
    .type   matmul_f32f32_packed_8x12, %function
matmul_f32f32_packed_8x12:
    sub     sp, sp, #128
    stp     d8, d9, [sp, #64]
    stp     d10, d11, [sp, #80]
    stp     d12, d13, [sp, #96]
    stp     d14, d15, [sp, #112]
    stp     xzr, xzr, [sp]                          // 64 bytes of zeros: what the sums start from
    stp     xzr, xzr, [sp, #16]
    stp     xzr, xzr, [sp, #32]
    stp     xzr, xzr, [sp, #48]
    lsl     pitch, pitch, #2

    matmul_8x12
    ldp     d8, d9, [sp, #64]
    ldp     d10, d11, [sp, #80]
    ldp     d12, d13, [sp, #96]
    ldp     d14, d15, [sp, #112]
    add     sp, sp, #128
    ret
    .size   matmul_f32f32_packed_8x12, . - matmul_f32f32_packed_8x12

    .section .note.GNU-stack,"",%progbits
