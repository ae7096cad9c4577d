/*toml
summary   = "a softmax of each row: output = e * units / (sum of e) + zero_point, e by a table, rounded once, ties to even"
prototype = "void (const int8_t *input, int8_t *output, const float *table, const double *products, size_t rows, size_t cols, int32_t zero_point)"
isa       = ["armv7-a", "neon"]
stack     = 36
[args]
input      = { reg = "r0", read = "rows*cols", layout = "rows", dtype = "int8" }
output     = { reg = "r1", write = "rows*cols", layout = "rows", dtype = "int8" }
table      = { reg = "r2", read = "1024", range = [0, 2.3e36] }
products   = { reg = "r3", read = "2048", range = [0, 3.9e43] }
rows       = { reg = "stack+0", range = [1, 65536] }
cols       = { reg = "stack+4", range = [1, 65536] }
zero_point = { reg = "stack+8", range = [-128, 127] }
*/

// e of an element is table[255 - d], d its distance from the greatest of its row: e^(-d * scale of the input) times a
// number that keeps the sum below the greatest float32, drawn once for a layer. products are the same numbers times the
// units, the whole part of 1 / the scale of the output: exact in float64. table[255] is not 0. This is the softmax of
// ONNX Runtime: float32 exponentials are added up one after another, in their order, and each product is divided by the
// sum.
//
// Quotients are those of VFP, because NEON has neither float64 nor a fused multiply. p / s is a tie, or as far from the
// next tie as 2^-48 of it, because p has 48 bits, so its own rounding makes no tie. Added to 1.5 * 2^52, where a float64
// has no bits left below 1, it is rounded to even, and the lower word of the sum is the integer. All that is too large for
// a type becomes its greatest.
//
// The loops:
//
//     for each row
//         for each 16 elements: the greatest     then the last 16 once more; of up to 15, one by one
//         for each 8: the sum                    then for each of the last 1-7
//         for each 8: the results                then the last 8 once more; of up to 7, one by one
//
// Divisions do not overlap: they bound it. The tables are read element by element, because no lookup of NEON is so wide.
//
// Registers: q0 the greatest, then s0 the sum, then d0 the same in float64; d6 1.5 * 2^52; q1, q2 exponentials of the
// sum; q8 the zero point; q9-q12 quotients and results.
//
// Cost of the hot loop, per 16 elements: 4 for the greatest, 68 for the sum, 102 for the results = 174 instructions,
// 10.875 per element. The floor is 80: for each element a load of its exponential and of its product, an addition, one
// load of it, and a division.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

#include "../include/function.inc"
#include "sum_of_row.inc"

products     .req r11
divisor      .req d0        // the sum, float64
magic        .req d6        // 1.5 * 2^52

// a, b, c, d (float64) = the products of the next 4 elements
.macro products_into a, b, c, d
    ldrsb   e0, [in], #1
    ldrsb   e1, [in], #1
    ldrsb   e2, [in], #1
    ldrsb   e3, [in], #1
    add     e0, base, e0, lsl #3
    add     e1, base, e1, lsl #3
    add     e2, base, e2, lsl #3
    add     e3, base, e3, lsl #3
    vldr    \a, [e0]
    vldr    \b, [e1]
    vldr    \c, [e2]
    vldr    \d, [e3]
.endm

function softmax_s8s8_rows_8_fp64
    push    {r4-r11, lr}
    add     last, table, #1020
    mov     products, r3
    ldr     rows, [sp, #36]
    ldr     cols, [sp, #40]
    ldr     e2, [sp, #44]                           // the zero point
    vdup.16 point, e2
    mov     e2, #0
    mov     e3, #0x43000000
    orr     e3, e3, #0x00380000
    vmov    magic, e2, e3
.Lrow:
    sum_of_row
    vcvt.f64.f32 divisor, sum
    rsb     base, greatest, #255
    add     base, products, base, lsl #3            // where the product of an element 0 lies
    mov     in, input
    subs    count, cols, #8
    blo     .Lresults_of_few
.Lresults_of_eight:                                 // 51 instructions, 8 elements
    products_into d18, d19, d20, d21
    vdiv.f64 d18, d18, divisor
    vdiv.f64 d19, d19, divisor
    vdiv.f64 d20, d20, divisor
    vdiv.f64 d21, d21, divisor
    products_into d22, d23, d24, d25
    vdiv.f64 d22, d22, divisor
    vdiv.f64 d23, d23, divisor
    vdiv.f64 d24, d24, divisor
    vdiv.f64 d25, d25, divisor
    vadd.f64 d18, d18, magic
    vadd.f64 d19, d19, magic
    vadd.f64 d20, d20, magic
    vadd.f64 d21, d21, magic
    vadd.f64 d22, d22, magic
    vadd.f64 d23, d23, magic
    vadd.f64 d24, d24, magic
    vadd.f64 d25, d25, magic
    vmovn.i64 d18, q9
    vmovn.i64 d19, q10
    vmovn.i64 d20, q11
    vmovn.i64 d21, q12
    vqmovn.s32 d18, q9
    vqmovn.s32 d19, q10
    subs    count, count, #8
    vqadd.s16 q9, q9, point
    vqmovn.s16 d18, q9
    vst1.8  {d18}, [output]!
    bhs     .Lresults_of_eight
    cmn     count, #8
    beq     .Lnext_row
    add     in, in, count                           // back, so that 8 are left
    add     output, output, count
    mov     count, #0
    b       .Lresults_of_eight
.Lresults_of_few:
    mov     count, cols
.Lresult_of_one:
    ldrsb   e0, [in], #1
    add     e0, base, e0, lsl #3
    subs    count, count, #1
    vldr    d18, [e0]
    vdiv.f64 d18, d18, divisor
    vadd.f64 d18, d18, magic
    vmov    d19, d18
    vqmovn.s32 d18, q9
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
end_function softmax_s8s8_rows_8_fp64
