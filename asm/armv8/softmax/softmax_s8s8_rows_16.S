/*toml
summary   = "a softmax of each row: output = e / (sum of e * scale) + zero_point, e by a table, ties away from zero"
prototype = "void (const int8_t *input, int8_t *output, const float *table, const float *scale, size_t rows, size_t cols, int32_t zero_point)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
input      = { reg = "x0", read = "rows*cols", layout = "rows", dtype = "int8" }
output     = { reg = "x1", write = "rows*cols", layout = "rows", dtype = "int8" }
table      = { reg = "x2", read = "1024", range = [0, 1] }
scale      = { reg = "x3", read = "4", range = [5.9604644775390625e-8, 1] }
rows       = { reg = "x4", range = [1, 65536] }
cols       = { reg = "x5", range = [1, 65536] }
zero_point = { reg = "x6", range = [-128, 127] }
*/

// e of an element is table[255 - d], d its distance from the greatest of its row: e^(-d * scale of the input), drawn
// once for a layer. table[255] is 1. This is the softmax of TFLite's int8 kernel: float32 exponentials are added up one
// after another, in their order, and each is multiplied by 1 / (sum * scale).
//
// A product is converted with 16 bits of fraction, cut off, and then narrowed with rounding: floor(2^16 * x) + 2^15 has
// the same whole part as x + 1/2, so a tie goes up, and nothing is rounded twice. Products are not negative. All that
// is too large for a type becomes its greatest, so a small scale does no harm.
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
// Cost of the hot loop, per 16 elements: 4 for the greatest, 52 for the sum, 68 for the results = 124 instructions,
// 7.750 per element. The floor is 68: for each element two loads of its exponential, an addition and one load of it,
// and 4 products.

    .arch armv8-a
    .text

#include "../include/function.inc"
#include "sum_of_row.inc"

scale        .req x3
factor       .req v0

// v1-v4 [lane] = the exponentials of elements lane, lane + 4, lane + 8 and lane + 12 from here
.macro exponentials_into lane
    ldrsb   e0, [in, #\lane]
    ldrsb   e1, [in, #(\lane + 4)]
    ldrsb   e2, [in, #(\lane + 8)]
    ldrsb   e3, [in, #(\lane + 12)]
    add     e0, base, e0, lsl #2
    add     e1, base, e1, lsl #2
    add     e2, base, e2, lsl #2
    add     e3, base, e3, lsl #2
    ld1     {v1.s}[\lane], [e0]
    ld1     {v2.s}[\lane], [e1]
    ld1     {v3.s}[\lane], [e2]
    ld1     {v4.s}[\lane], [e3]
.endm

// v1 (16 x int8) = the results of the exponentials in v1-v4
.macro results
    fmul    v1.4s, v1.4s, factor.s[0]
    fmul    v2.4s, v2.4s, factor.s[0]
    fmul    v3.4s, v3.4s, factor.s[0]
    fmul    v4.4s, v4.4s, factor.s[0]
    fcvtzs  v1.4s, v1.4s, #16
    fcvtzs  v3.4s, v3.4s, #16
    fcvtzs  v2.4s, v2.4s, #16
    fcvtzs  v4.4s, v4.4s, #16
    sqrshrn v1.4h, v1.4s, #16
    sqrshrn v3.4h, v3.4s, #16
    sqrshrn2 v1.8h, v2.4s, #16
    sqrshrn2 v3.8h, v4.4s, #16
    sqadd   v1.8h, v1.8h, point.8h
    sqadd   v3.8h, v3.8h, point.8h
    sqxtn   v1.8b, v1.8h
    sqxtn2  v1.16b, v3.8h
.endm

function softmax_s8s8_rows_16
    add     last, table, #1020
    dup     point.8h, w6
.Lrow:
    sum_of_row
    ldr     s1, [scale]
    fmov    s2, #1.0
    fmul    s1, sum, s1
    fdiv    sum, s2, s1
    mov     in, input
    subs    count, cols, #16
    b.lo    .Lresults_of_few
.Lresults_of_sixteen:                               // 68 instructions, 16 elements
    exponentials_into 0
    exponentials_into 1
    exponentials_into 2
    exponentials_into 3
    add     in, in, #16
    results
    subs    count, count, #16
    str     q1, [output], #16
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
    ldr     s1, [base, e0, lsl #2]
    fmul    s1, s1, factor.s[0]
    fcvtzs  v1.2s, v1.2s, #16
    sqrshrn v1.4h, v1.4s, #16
    sqadd   v1.4h, v1.4h, point.4h
    sqxtn   v1.8b, v1.8h
    st1     {v1.b}[0], [output], #1
    b.ne    .Lresult_of_one
.Lnext_row:
    add     input, input, cols
    subs    rows, rows, #1
    b.ne    .Lrow
    ret
end_function softmax_s8s8_rows_16
