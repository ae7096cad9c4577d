/*toml
summary   = "output[r] = sum_k weights[r][k] * input[k] + bias[r], requantized as in ruy to int8"
prototype = "void (const int8_t *weights, const int8_t *input, int8_t *output, size_t rows, size_t depth, const int32_t *bias, const int32_t *multipliers, const int32_t *shifts, const int16_t *range)"
isa       = ["armv8.2-a", "a32", "neon", "dotprod"]
stack     = 108
[args]
weights      = { reg = "r0", read = "rows*depth", layout = "rows", dtype = "int8" }
input        = { reg = "r1", read = "depth", layout = "flat", dtype = "int8" }
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

// The loops, outermost first:
//
//     for each 8 rows                       the last 1-7 as 8, the last one again in place of those not there
//         for each 64 elements              then 16, then the last 0-15 in one go, filled up with zeros
//             sums[8] += weights[8][64] * input[64]
//         output[8] = sums
//
// Each weight is used once: the weights stream through, and it is the input that is shared, by 8 rows. More rows would
// save no more than a load or two for each 32 of them.
//
//                     64 elements       input: q0-q3
//                   +-------------+
//          each row | q4-q7       |  q8-q15, one for each row: 4 x int32, to be added up across at the end
//                   +-------------+
//
// Any int8 will do: the sums stay below 65536 * 128 * 128 + 2^29 < 2^31.
//
// The output: sum + bias, times 2^shift * multiplier / 2^31, + zero point, held to [lowest, highest]; range holds these
// three. bias, multipliers and shifts have an element for each row, filled up to a multiple of 8.
//
// A zero point of the input, z, is the bias's business: bias[r] - z * sum_k weights[r][k]. The weights have none.
//
// Cost of the hot loop, per 8 rows x 64 elements = 512 MACs:
//     32 vsdot, 18 vld1, 2 for the loop = 52 instructions, 0.102 per MAC.
// The floor is a vsdot for 16 MACs, 32 or 0.0625 per MAC, and 16 loads of 32 bytes, the most that vld1 takes, as each
// weight is loaded for one MAC: 48 or 0.0938, 8 % below. Around the hot loop a tile costs 87 instructions where nothing
// is left over.

    .syntax unified
    .arch   armv8.2-a
    .fpu    neon-fp-armv8
    .arch_extension dotprod
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

#define DOTPROD 1

#include "../include/function.inc"
#include "gemv_rows_8.inc"
#include "../include/requantize_ruy.inc"
#include "requantized_8_rows.inc"

function gemv_s8s8_rows_8_dotprod_ruy
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
end_function gemv_s8s8_rows_8_dotprod_ruy
