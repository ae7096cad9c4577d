/*toml
summary   = "output = input with a mantissa and an exponent of fewer bits, ties away from zero, as Ristretto"
prototype = "void (const float *input, float *output, size_t count, const uint32_t *form)"
isa       = ["armv7-a", "neon"]
stack     = 64
[args]
input  = { reg = "r0", read = "4*count", layout = "flat", dtype = "float32", range = [-3e38, 3e38] }
output = { reg = "r1", write = "4*count", layout = "flat", dtype = "float32" }
count  = { reg = "r2", range = [0, 1073741824] }
form   = { reg = "r3", read = "20", dtype = "uint32" }
*/

// Ristretto's minifloat: sign, exponent and mantissa of fewer bits, without denormals and infinities. It is cut out of
// the float32's bits x, of which a is the part without the sign:
//
//     (a + half) & kept       the mantissa rounded, ties away from zero; it carries into the exponent by itself
//     most                    instead, where a >= beyond: the exponent is above the greatest
//     0                       instead, where a < least: the exponent is below the least
//
// and the sign of x. form holds half, kept, least, beyond and most: with m bits of mantissa, e of exponent and the bias
// b = 2^(e-1) - 1, half = 2^(22-m) or 0 if m is 23, kept = -2^(23-m), least = max(127 - b, 1) * 2^23, beyond =
// (2^e + 127 - b) * 2^23 and most = beyond - 2^(23-m), as the uint32 of a float. In place is allowed.
//
// Cost of the hot loop, per 16 elements: 2 loads, 32 to round and choose, 2 stores, 2 for the loop = 38 instructions,
// 2.375 per element. The floor is 36: all but the loop's.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

input        .req r0
output       .req r1
count        .req r2        // left, counts down
form         .req r3

#include "../include/function.inc"
#include "flat_words.inc"

// x = its lanes as minifloats; q8-q13 are the sign bits, half, kept, least, beyond and most, q4-q6 are free
.macro convert x
    vabs.f32 q4, \x
    vadd.i32 q5, q4, q9
    vand    q5, q5, q10
    vcge.u32 q6, q4, q12
    vbit    q5, q13, q6
    vcge.u32 q6, q4, q11
    vand    q5, q5, q6
    vbif    \x, q5, q8
.endm

function minifloat_f32f32_flat_16
    save_vectors
    vmov.i32 q8, #0x80000000
    vld1.32 {d18[], d19[]}, [form]!
    vld1.32 {d20[], d21[]}, [form]!
    vld1.32 {d22[], d23[]}, [form]!
    vld1.32 {d24[], d25[]}, [form]!
    vld1.32 {d26[], d27[]}, [form]
    convert_run
    restore_vectors_and_return
end_function minifloat_f32f32_flat_16
