/*toml
summary   = "output[r] = sum_k weights[r][k] * input[k] + bias[r], requantized as in ruy to int8"
prototype = "void (const int8_t *weights, const int8_t *input, int8_t *output, size_t rows, size_t depth, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv7-a", "neon"]
stack     = 108
[args]
weights      = { reg = "r0", read = "rows*depth", layout = "rows", dtype = "int8", range = [-127, 127] }
input        = { reg = "r1", read = "depth", layout = "flat", dtype = "int8", range = [-128, 127] }
output       = { reg = "r2", write = "rows", layout = "flat", dtype = "int8" }
rows         = { reg = "r3", range = [1, 1048576] }
depth        = { reg = "stack+0", range = [1, 65536] }
bias         = { reg = "stack+4", read = "4*8*((rows+7)//8)", layout = "rows8", dtype = "int32", range = [-536870912, 536870912] }
multipliers  = { reg = "stack+8", read = "4*8*((rows+7)//8)", layout = "rows8", dtype = "int32", range = [1073741824, 2147483647] }
shifts       = { reg = "stack+12", read = "4*8*((rows+7)//8)", layout = "rows8", dtype = "int32", range = [-31, 7] }
range        = { reg = "stack+16", read = "6", layout = "zero_lowest_highest", dtype = "int16", range = [-128, 127] }
[counts]
macs = "rows*depth"
*/

// The loops and the tile are those of gemv_s8s32_rows_8, and so is the reason why no weight is -128; here the sums leave as
// int8. They are safe: 65536 * 128 * 127 + 2^29 < 2^31.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each row, filled up to a multiple of 8.
//
// A zero point of the input, z, is the bias's business: bias[r] - z * sum_k weights[r][k]. The weights have none.
//
// Cost of the hot loop, per 8 rows x 32 elements = 256 MACs: 59 instructions, 0.230 per MAC, as without requantization,
// 5 % above its floor of 56. Around the hot loop a tile costs 87 instructions where nothing is left over.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

row0         .req r0        // of the 8, walk along
row1         .req r1
row2         .req r2
row3         .req r3
row4         .req r4
row5         .req r5
row6         .req r6
row7         .req r7
x            .req r8        // walks along the input
count        .req r9        // elements left, counts down
output       .req r10
rows         .req r11       // left, counts down
depth        .req r12
at           .req r8
done         .req r9        // 4 * rows done

// The frame, from sp upwards. It need not be a multiple of 8: nothing is called from here.
#define VECTOR       0      /* the input */
#define DONE         4
#define LOCALS       8
#define FRAME        108    /* LOCALS, d8-d15, r4-r11 and lr */
#define DEPTH_OF_ROW FRAME
#define BIAS         (FRAME + 4)
#define MULTIPLIERS  (FRAME + 8)
#define SHIFTS       (FRAME + 12)
#define RANGE        (FRAME + 16)

#define DOTPROD 0

#include "../include/function.inc"
#include "gemv_rows_8.inc"
#include "../include/requantize_ruy.inc"
#include "requantized_8_rows.inc"

function gemv_s8s8_rows_8_ruy
    save_all
    sub     sp, sp, #LOCALS
    mov     output, r2
    mov     rows, r3
    ldr     depth, [sp, #DEPTH_OF_ROW]
    str     r1, [sp, #VECTOR]
    mov     done, #0
    str     done, [sp, #DONE]
    gemv_rows_8
    add     sp, sp, #LOCALS
    restore_all_and_return
end_function gemv_s8s8_rows_8_ruy
