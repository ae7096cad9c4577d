/*toml
summary   = "output = the power of two that is nearest in the logarithm, with the sign of the input, as Ristretto"
prototype = "void (const float *input, float *output, size_t count, const uint32_t *limits)"
isa       = ["armv7-a", "neon"]
stack     = 64
[args]
input  = { reg = "r0", read = "4*count", layout = "flat", dtype = "float32", range = [-3e38, 3e38] }
output = { reg = "r1", write = "4*count", layout = "flat", dtype = "float32" }
count  = { reg = "r2", range = [0, 1073741824] }
limits = { reg = "r3", read = "32", dtype = "uint32", range = [0, 2147483648] }
*/

// Ristretto's powers of two: +-2^e, where e is log2|x|, rounded and held between a least and a greatest exponent, of
// which there are up to 8. There is no 0: that becomes the least power.
//
// The bits of a float32 without its sign, a, are in the order of its size, so that e is found by comparing: limits
// holds the first a of which e is more than the least exponent, more than that by 1, and so on, 7 in all; 0x80000000
// where there is no such exponent; and at last the least power, as the uint32 of a float. Each comparison gives -1 or
// 0, and the sum of these counts the exponents. The sign is that of x unless x is 0. In place is allowed.
//
// Cost of the hot loop, per 16 elements: 2 loads, 4 * 13 to count, 24 for the sign and the power, 2 stores, 2 for the
// loop = 82 instructions, 5.125 per element. The floor is 80: all but the loop's.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

input        .req r0
output       .req r1
count        .req r2        // left, counts down
limits       .req r3

#include "../include/function.inc"
#include "flat_words.inc"

// q5 less 1 where q4 is a limit or more
.macro count_limit limit
    vcge.u32 q6, q4, \limit
    vadd.i32 q5, q5, q6
.endm

// x = its lanes as powers of two; q8-q14 are the limits, q15 the least power, q7 the sign bits, q4-q6 are free
.macro convert x
    vabs.f32 q4, \x
    vcge.u32 q5, q4, q8
    count_limit q9
    count_limit q10
    count_limit q11
    count_limit q12
    count_limit q13
    count_limit q14
    vshl.i32 q5, q5, #23
    vsub.i32 q5, q15, q5
    vtst.32 q6, q4, q4
    vand    \x, \x, q6
    vbif    \x, q5, q7
.endm

function powers_f32f32_flat_16
    save_vectors
    vmov.i32 q7, #0x80000000
    vld1.32 {d16[], d17[]}, [limits]!
    vld1.32 {d18[], d19[]}, [limits]!
    vld1.32 {d20[], d21[]}, [limits]!
    vld1.32 {d22[], d23[]}, [limits]!
    vld1.32 {d24[], d25[]}, [limits]!
    vld1.32 {d26[], d27[]}, [limits]!
    vld1.32 {d28[], d29[]}, [limits]!
    vld1.32 {d30[], d31[]}, [limits]
    convert_run
    restore_vectors_and_return
end_function powers_f32f32_flat_16
