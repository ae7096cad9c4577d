/*toml
summary   = "a softmax of each row: output = e / (sum of e * scale) + zero_point, e by a table, ties away from zero"
prototype = "void (const int8_t *input, int8_t *output, const float *table, const float *scale, size_t rows, size_t cols, int32_t zero_point)"
isa       = ["armv7-a", "neon"]
stack     = 36
[args]
input      = { reg = "r0", read = "rows*cols", layout = "rows", dtype = "int8" }
output     = { reg = "r1", write = "rows*cols", layout = "rows", dtype = "int8" }
table      = { reg = "r2", read = "1024", range = [0, 1] }
scale      = { reg = "r3", read = "4", range = [5.9604644775390625e-8, 1] }
rows       = { reg = "stack+0", range = [1, 65536] }
cols       = { reg = "stack+4", range = [1, 65536] }
zero_point = { reg = "stack+8", range = [-128, 127] }
*/

// e of an element is table[255 - d], d its distance from the greatest of its row: e^(-d * scale of the input), drawn
// once for a layer. table[255] is 1. This is the softmax of TFLite's int8 kernel: float32 exponentials are added up one
// after another, in their order, and each is multiplied by 1 / (sum * scale).
//
// A product is converted with 16 bits of fraction, cut off, and then narrowed with rounding: floor(2^16 * x) + 2^15 has
// the same whole part as x + 1/2, so a tie goes up, and nothing is rounded twice. Products are not negative. All that
// is too large for a type becomes its greatest, so a small scale does no harm. NEON takes a denormal exponential as 0,
// and the result of both is 0; VFP adds it up.
//
// The loops:
//
//     for each row
//         for each 16 elements: the greatest     then the last 16 once more; of up to 15, one by one
//         for each 8: the sum                    then for each of the last 1-7
//         for each 16: the results               then the last 16 once more; of up to 15, one by one
//
// Additions of one sum wait for each other: on in-order cores these bound it. The table is read element by element,
// because no lookup of NEON is so wide.
//
// Registers: q0 the greatest, then s0 the sum and the factor; s12 the scale; q1, q2 exponentials of the sum; q8 the
// zero point; q9-q12 exponentials and results.
//
// Cost of the hot loop, per 16 elements: 4 for the greatest, 68 for the sum, 68 for the results = 140 instructions,
// 8.750 per element. The floor is 68: for each element two loads of its exponential, an addition and one load of it,
// and 4 products.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

#include "../include/function.inc"
#include "sum_of_row.inc"

scale        .req r3
unit         .req s12       // the scale

// a, b, c, d [lane] = the exponentials of the elements `after`, `after` + 4, `after` + 8 and `after` + 12 from here
.macro exponentials_into after, a, b, c, d, lane
    ldrsb   e0, [in, #\after]
    ldrsb   e1, [in, #(\after + 4)]
    ldrsb   e2, [in, #(\after + 8)]
    ldrsb   e3, [in, #(\after + 12)]
    places
    vld1.32 {\a[\lane]}, [e0]
    vld1.32 {\b[\lane]}, [e1]
    vld1.32 {\c[\lane]}, [e2]
    vld1.32 {\d[\lane]}, [e3]
.endm

// q9 (16 x int8) = the results of the exponentials in q9-q12
.macro results
    vmul.f32 q9, q9, d0[0]
    vmul.f32 q10, q10, d0[0]
    vmul.f32 q11, q11, d0[0]
    vmul.f32 q12, q12, d0[0]
    vcvt.s32.f32 q9, q9, #16
    vcvt.s32.f32 q10, q10, #16
    vcvt.s32.f32 q11, q11, #16
    vcvt.s32.f32 q12, q12, #16
    vqrshrn.s32 d18, q9, #16
    vqrshrn.s32 d19, q10, #16
    vqrshrn.s32 d22, q11, #16
    vqrshrn.s32 d23, q12, #16
    vqadd.s16 q9, q9, point
    vqadd.s16 q11, q11, point
    vqmovn.s16 d18, q9
    vqmovn.s16 d19, q11
.endm

function softmax_s8s8_rows_16
    push    {r4-r11, lr}
    ldr     rows, [sp, #36]
    ldr     cols, [sp, #40]
    ldr     e2, [sp, #44]                           // the zero point
    vdup.16 point, e2
    add     last, table, #1020
    vldr    unit, [scale]
.Lrow:
    sum_of_row
    vmov.f32 s5, #1.0
    vmul.f32 s4, sum, unit
    vdiv.f32 sum, s5, s4
    mov     in, input
    subs    count, cols, #16
    blo     .Lresults_of_few
.Lresults_of_sixteen:                               // 68 instructions, 16 elements
    exponentials_into 0, d18, d20, d22, d24, 0
    exponentials_into 1, d18, d20, d22, d24, 1
    exponentials_into 2, d19, d21, d23, d25, 0
    exponentials_into 3, d19, d21, d23, d25, 1
    add     in, in, #16
    results
    subs    count, count, #16
    vst1.8  {d18, d19}, [output]!
    bhs     .Lresults_of_sixteen
    cmn     count, #16
    beq     .Lnext_row
    add     in, in, count                           // back, so that 16 are left
    add     output, output, count
    mov     count, #0
    b       .Lresults_of_sixteen
.Lresults_of_few:
    mov     count, cols
.Lresult_of_one:
    ldrsb   e0, [in], #1
    add     e0, base, e0, lsl #2
    subs    count, count, #1
    vld1.32 {d18[]}, [e0]
    vmul.f32 d18, d18, d0[0]
    vcvt.s32.f32 d18, d18, #16
    vmov    d19, d18
    vqrshrn.s32 d18, q9, #16
    vqadd.s16 d18, d18, d16
    vmov    d19, d18
    vqmovn.s16 d18, q9
    vst1.8  {d18[0]}, [output]!
    bne     .Lresult_of_one
.Lnext_row:
    add     input, input, cols
    subs    rows, rows, #1
    bne     .Lrow
    pop     {r4-r11, pc}
end_function softmax_s8s8_rows_16
