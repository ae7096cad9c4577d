/*toml
summary   = "c[m][n] = bias[n] + sum_k a[m][k] * b[k][n], clamped, float32, both operands packed, vmla by element"
prototype = "void (const float *a, const float *b, float *c, size_t rows, size_t cols, size_t depth, size_t c_pitch, const float *bias, const float *limits)"
isa       = ["armv7-a", "neon"]
stack     = 120
[args]
a       = { reg = "r0", read = "4*6*((rows+5)//6)*depth", layout = "rows6_depth1", dtype = "float32", range = [-128.0, 128.0] }
b       = { reg = "r1", read = "4*8*((cols+7)//8)*depth", layout = "cols8_depth1", dtype = "float32", range = [-128.0, 128.0] }
c       = { reg = "r2", write = { rows = "rows", bytes = "4*cols", pitch = "4*c_pitch" }, layout = "rows", dtype = "float32" }
rows    = { reg = "r3", range = [1, 1048576] }
cols    = { reg = "stack+0", range = [1, 1048576] }
depth   = { reg = "stack+4", range = [1, 131071] }
c_pitch = { reg = "stack+8", range = [1, 1048576] }
bias    = { reg = "stack+12", read = "4*8*((cols+7)//8)", layout = "cols8", dtype = "float32", range = [-128.0, 128.0] }
limits  = { reg = "stack+16", read = "8", layout = "lowest_highest", dtype = "float32", range = [-1e30, 1e30] }
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
// bias has an element for each column, filled up to a multiple of 8; limits holds the lowest and the highest value of c.
//
// Product and sum are rounded one after the other, in the order of depth, from the bias on, and what is too small for a
// normal number is 0, a limit too. Exact, and the same in any order, where all products and sums are whole multiples of
// one power of two and less than 2^24 times that: whole numbers in [-128, 128], as 8 bits hold, up to a depth of 1023.
// The range is where this was tried, not a limit.
//
// Cost of the hot loop, per 6 rows x 8 columns x 4 depths = 192 MACs:
//     48 vmla, 8 vld1, 2 for the loop = 58 instructions, 0.302 per MAC.
// The floor is one vmla for 4 MACs, 48 or 0.25 per MAC: the sums leave no room to load more than one depth at a time,
// which takes one vld1 for each operand. Around the hot loop a tile costs 50 instructions, whatever the depth: 8 to start
// the sums from the bias, 28 to clamp them, 6 to store them, the rest to start over and to find that nothing is left over.
// The bytes: 224 loaded for 192 MACs, 4 stored for each output, once.
// No prefetch: two ascending streams; that of a comes back from the cache for every 8 columns.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

// The frame, from sp upwards. It need not be a multiple of 8: nothing is called from here.
#define COLUMNS 0           /* all of b */
#define ROWS    4           /* rows left */
#define PITCH   8           /* of c, in bytes */
#define ROW_0   12          /* the tile's first row in c, at column 0 */
#define BIAS_AT 16          /* of the tile's columns */
#define LOCALS  20
#define FRAME   120         /* LOCALS, d8-d15, r4-r11 and lr */
#define COLS    FRAME
#define DEPTH   (FRAME + 4)
#define C_PITCH (FRAME + 8)
#define BIAS    (FRAME + 12)
#define LIMITS  (FRAME + 16)

// s (4 columns) += w (4 columns) * lane (a row), one depth: 4 MACs
.macro multiply s, w, lane
    vmla.f32 \s, \w, \lane
.endm

.macro start_rows
    ldr     count, [sp, #BIAS]
    str     count, [sp, #BIAS_AT]
.endm

.macro start_sums n
    ldr     count, [sp, #BIAS_AT]
  .if \n == 6
    vld1.32 {d28, d29, d30, d31}, [count]
    vld1.32 {d24, d25, d26, d27}, [count]
  .endif
  .if \n >= 4
    vld1.32 {d20, d21, d22, d23}, [count]
    vld1.32 {d16, d17, d18, d19}, [count]
  .endif
    vld1.32 {d12, d13, d14, d15}, [count]
    vld1.32 {d8, d9, d10, d11}, [count]!
    str     count, [sp, #BIAS_AT]
.endm

// the sums, held between the limits
.macro finish_sums n
    ldr     count, [sp, #LIMITS]
    vld2.32 {d0[], d2[]}, [count]
    vmov    d1, d0
    vmov    d3, d2
  .irp s, q4, q5, q6, q7
    vmax.f32 \s, \s, q0
    vmin.f32 \s, \s, q1
  .endr
  .if \n >= 4
   .irp s, q8, q9, q10, q11
    vmax.f32 \s, \s, q0
    vmin.f32 \s, \s, q1
   .endr
  .endif
  .if \n == 6
   .irp s, q12, q13, q14, q15
    vmax.f32 \s, \s, q0
    vmin.f32 \s, \s, q1
   .endr
  .endif
.endm

#include "matmul_packed_6x8.inc"

function matmul_f32f32_packed_6x8
    save_all
    sub     sp, sp, #LOCALS
    mov     rows, r3
    str     r1, [sp, #COLUMNS]
    ldr     depths, [sp, #DEPTH]
    ldr     pitch, [sp, #C_PITCH]
    lsl     pitch, pitch, #2
    str     pitch, [sp, #PITCH]
    matmul_6x8
    add     sp, sp, #LOCALS
    restore_all_and_return
end_function matmul_f32f32_packed_6x8
