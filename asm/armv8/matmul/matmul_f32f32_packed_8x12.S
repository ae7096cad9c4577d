/*toml
summary   = "c[m][n] = bias[n] + sum_k a[m][k] * b[k][n], clamped, float32, both operands packed, fmla by element"
prototype = "void (const float *a, const float *b, float *c, size_t rows, size_t cols, size_t depth, size_t c_pitch, const float *bias, const float *limits)"
isa       = ["armv8.0-a", "neon"]
stack     = 96
[args]
a       = { reg = "x0", read = "4*8*((rows+7)//8)*depth", layout = "rows8_depth1", dtype = "float32", range = [-128.0, 128.0] }
b       = { reg = "x1", read = "4*12*((cols+11)//12)*depth", layout = "cols12_depth1", dtype = "float32", range = [-128.0, 128.0] }
c       = { reg = "x2", write = { rows = "rows", bytes = "4*cols", pitch = "4*c_pitch" }, layout = "rows", dtype = "float32" }
rows    = { reg = "x3", range = [1, 1048576] }
cols    = { reg = "x4", range = [1, 1048576] }
depth   = { reg = "x5", range = [1, 131071] }
c_pitch = { reg = "x6", range = [1, 1048576] }
bias    = { reg = "x7", read = "4*12*((cols+11)//12)", layout = "cols12", dtype = "float32", range = [-128.0, 128.0] }
limits  = { reg = "stack+0", read = "8", layout = "lowest_highest", dtype = "float32", range = [-1e30, 1e30] }
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
// bias has an element for each column, filled up to a multiple of 12; limits holds the lowest and the highest value of c.
//
// Each sum is rounded once for each depth, in the order of depth, from the bias on. It is exact, and the same in any
// order, where all products and sums are whole multiples of one power of two and less than 2^24 times that: whole numbers
// in [-128, 128], as 8 bits hold, up to a depth of 1023. The range is where this was tried, not a limit: any other values
// give what fmla gives.
//
// Cost of the hot loop, per 8 rows x 12 columns x 4 depths = 384 MACs:
//     96 fmla, 5 ld1, 2 for the loop = 103 instructions, 0.268 per MAC.
// The floor is one fmla for 4 MACs, 96 or 0.25 per MAC: 20 registers cannot be loaded in less than 5 ld1. Around the hot
// loop a tile costs 72 instructions, whatever the depth: 8 to start the sums from the bias, 49 to clamp them, 8 to store
// them, the rest to start over and to find that nothing is left over.
// The bytes: 320 loaded for 384 MACs, 4 stored for each output, once.
// No prefetch: two ascending streams; that of a comes back from the cache for every 12 columns.

    .arch armv8-a
    .text

out7        .req x7
bias        .req x19
at          .req x20        // of the bias, walks along the columns
limits      .req x21

// s (4 columns) += w (4 columns) * lane of a (a row), one depth: 4 MACs
.macro multiply s, w, a, lane
    fmla    \s\().4s, \w\().4s, \a\().s[\lane]
.endm

#include "../include/function.inc"
#include "matmul_packed_8x12_bylane.inc"
#include "store_rows_of_12_sums.inc"

.macro start_rows
    mov     at, bias
.endm

.macro start_sums rows
  .if \rows == 8
    ld1     {v29.4s, v30.4s, v31.4s}, [at]
    ld1     {v26.4s, v27.4s, v28.4s}, [at]
    ld1     {v23.4s, v24.4s, v25.4s}, [at]
    ld1     {v20.4s, v21.4s, v22.4s}, [at]
  .endif
    ld1     {v17.4s, v18.4s, v19.4s}, [at]
    ld1     {v14.4s, v15.4s, v16.4s}, [at]
    ld1     {v11.4s, v12.4s, v13.4s}, [at]
    ld1     {v8.4s, v9.4s, v10.4s}, [at], #48
.endm

// s0-s2 (a row) held between v0 and v1
.macro clamp_row s0, s1, s2
    fmax    \s0\().4s, \s0\().4s, v0.4s
    fmax    \s1\().4s, \s1\().4s, v0.4s
    fmax    \s2\().4s, \s2\().4s, v0.4s
    fmin    \s0\().4s, \s0\().4s, v1.4s
    fmin    \s1\().4s, \s1\().4s, v1.4s
    fmin    \s2\().4s, \s2\().4s, v1.4s
.endm

.macro finish_sums rows
    ld2r    {v0.4s, v1.4s}, [limits]
    clamp_row v8, v9, v10
    clamp_row v11, v12, v13
    clamp_row v14, v15, v16
    clamp_row v17, v18, v19
  .if \rows == 8
    clamp_row v20, v21, v22
    clamp_row v23, v24, v25
    clamp_row v26, v27, v28
    clamp_row v29, v30, v31
  .endif
.endm

function matmul_f32f32_packed_8x12
    save_vectors 96
    stp     x19, x20, [sp, #64]
    str     x21, [sp, #80]
    mov     bias, x7                                // where row 7 goes
    ldr     limits, [sp, #96]
    lsl     pitch, pitch, #2
    matmul_8x12
    ldr     x21, [sp, #80]
    ldp     x19, x20, [sp, #64]
    ldp     d14, d15, [sp, #48]
    ldp     d12, d13, [sp, #32]
    ldp     d10, d11, [sp, #16]
    ldp     d8, d9, [sp], #96
    ret
end_function matmul_f32f32_packed_8x12
