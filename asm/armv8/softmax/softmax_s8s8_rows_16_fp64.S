/*toml
summary   = "a softmax of each row: output = e * units / (sum of e) + zero_point, e by a table, rounded once, ties to even"
prototype = "void (const int8_t *input, int8_t *output, const float *table, const double *products, size_t rows, size_t cols, int32_t zero_point)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
input      = { reg = "x0", read = "rows*cols", layout = "rows", dtype = "int8" }
output     = { reg = "x1", write = "rows*cols", layout = "rows", dtype = "int8" }
table      = { reg = "x2", read = "1024", range = [0, 2.3e36] }
products   = { reg = "x3", read = "2048", range = [0, 3.9e43] }
rows       = { reg = "x4", range = [1, 65536] }
cols       = { reg = "x5", range = [1, 65536] }
zero_point = { reg = "x6", range = [-128, 127] }
*/

// e of an element is table[255 - d], d its distance from the greatest of its row: e^(-d * scale of the input) times a
// number that keeps the sum below the greatest float32, drawn once for a layer. products are the same numbers times the
// units, the whole part of 1 / the scale of the output: exact in float64. table[255] is not 0. This is the softmax of
// ONNX Runtime: float32 exponentials are added up one after another, in their order, and each product is divided by the
// sum.
//
// The quotient q = p / s is formed without a division: with r = 1 / s rounded, q0 = p * r, and q = q0 + (p - q0 * s) * r.
// p - q0 * s is exact where p / s has few bits, so a tie comes out as it is. All others are as far from the next tie as
// 2^-48 of them, because p has 48 bits; q is off by 2^-52 of it. So one rounding to even gives the same integer. All that
// is too large for a type becomes its greatest.
//
// The loops:
//
//     for each row
//         for each 16 elements: the greatest     then the last 16 once more; of up to 15, one by one
//         for each 8: the sum                    then for each of the last 1-7
//         for each 16: the results               then the last 16 once more; of up to 15, one by one
//
// Additions of one sum wait for each other: on in-order cores these bound it. The tables are read element by element,
// because no lookup of NEON is so wide.
//
// Cost of the hot loop, per 16 elements: 4 for the greatest, 52 for the sum, 87 for the results = 143 instructions,
// 8.938 per element. The floor is 88: for each element a load of its exponential and of its product, an addition, one
// load of it, and 3 products of two.

    .arch armv8-a
    .text

#include "../include/function.inc"
#include "sum_of_row.inc"

products     .req x3
divisor      .req v0        // the sum and 1 / the sum, float64

// v\a, v\b (2 x float64) = the products of the next 4 elements
.macro products_into a, b
    next_elements
    ldr     d\a, [base, e0, lsl #3]
    ldr     d\b, [base, e2, lsl #3]
    add     e1, base, e1, lsl #3
    add     e3, base, e3, lsl #3
    ld1     {v\a\().d}[1], [e1]
    ld1     {v\b\().d}[1], [e3]
.endm

// v\q0 (8 x int16) = p / the sum + the zero point for the four vectors p, which are used up, by the vectors q
.macro quotients q0, q1, q2, q3, p0, p1, p2, p3
    fmul    v\q0\().2d, v\p0\().2d, divisor.d[1]
    fmul    v\q1\().2d, v\p1\().2d, divisor.d[1]
    fmul    v\q2\().2d, v\p2\().2d, divisor.d[1]
    fmul    v\q3\().2d, v\p3\().2d, divisor.d[1]
    fmls    v\p0\().2d, v\q0\().2d, divisor.d[0]
    fmls    v\p1\().2d, v\q1\().2d, divisor.d[0]
    fmls    v\p2\().2d, v\q2\().2d, divisor.d[0]
    fmls    v\p3\().2d, v\q3\().2d, divisor.d[0]
    fmla    v\q0\().2d, v\p0\().2d, divisor.d[1]
    fmla    v\q1\().2d, v\p1\().2d, divisor.d[1]
    fmla    v\q2\().2d, v\p2\().2d, divisor.d[1]
    fmla    v\q3\().2d, v\p3\().2d, divisor.d[1]
    fcvtns  v\q0\().2d, v\q0\().2d
    fcvtns  v\q1\().2d, v\q1\().2d
    fcvtns  v\q2\().2d, v\q2\().2d
    fcvtns  v\q3\().2d, v\q3\().2d
    uzp1    v\q0\().4s, v\q0\().4s, v\q1\().4s       // 25 bits at most
    uzp1    v\q2\().4s, v\q2\().4s, v\q3\().4s
    sqxtn   v\q0\().4h, v\q0\().4s
    sqxtn2  v\q0\().8h, v\q2\().4s
    sqadd   v\q0\().8h, v\q0\().8h, point.8h
.endm

function softmax_s8s8_rows_16_fp64
    add     last, table, #1020
    dup     point.8h, w6
.Lrow:
    sum_of_row
    fcvt    d0, sum
    fmov    d1, #1.0
    fdiv    d1, d1, d0
    mov     divisor.d[1], v1.d[0]
    mov     base, #255
    sub     base, base, greatest
    add     base, products, base, lsl #3            // where the product of an element 0 lies
    mov     in, input
    subs    count, cols, #16
    b.lo    .Lresults_of_few
.Lresults_of_sixteen:                               // 87 instructions, 16 elements
    products_into 1, 2
    products_into 3, 4
    products_into 5, 6
    products_into 7, 17
    quotients 18, 19, 20, 21, 1, 2, 3, 4
    quotients 22, 23, 24, 25, 5, 6, 7, 17
    subs    count, count, #16
    sqxtn   v18.8b, v18.8h
    sqxtn2  v18.16b, v22.8h
    str     q18, [output], #16
    b.hs    .Lresults_of_sixteen
    cmn     count, #16
    b.eq    .Lnext_row
    add     in, in, count                           // back, so that 16 are left
    add     output, output, count
    mov     count, #0
    b       .Lresults_of_sixteen
.Lresults_of_few:
    mov     count, cols
.Lresult_of_one:
    ldrsb   e0, [in], #1
    subs    count, count, #1
    ldr     d1, [base, e0, lsl #3]
    fmul    d2, d1, divisor.d[1]
    fmls    d1, d2, divisor.d[0]
    fmla    d2, d1, divisor.d[1]
    fcvtns  d2, d2
    sqxtn   v2.4h, v2.4s
    sqadd   v2.4h, v2.4h, point.4h
    sqxtn   v2.8b, v2.8h
    st1     {v2.b}[0], [output], #1
    b.ne    .Lresult_of_one
.Lnext_row:
    add     input, input, cols
    subs    rows, rows, #1
    b.ne    .Lrow
    ret
end_function softmax_s8s8_rows_16_fp64
