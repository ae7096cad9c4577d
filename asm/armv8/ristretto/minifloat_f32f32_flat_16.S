/*toml
summary   = "output = input with a mantissa and an exponent of fewer bits, ties away from zero, as Ristretto"
prototype = "void (const float *input, float *output, size_t count, const uint32_t *form)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
input  = { reg = "x0", read = "4*count", layout = "flat", dtype = "float32", range = [-3e38, 3e38] }
output = { reg = "x1", write = "4*count", layout = "flat", dtype = "float32" }
count  = { reg = "x2", range = [0, 1073741824] }
form   = { reg = "x3", read = "20", dtype = "uint32" }
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
// Cost of the hot loop, per 16 elements: 1 load, 32 to round and choose, 1 store, 2 for the loop = 36 instructions,
// 2.250 per element. The floor is 34: all but the loop's.

    .arch armv8-a
    .text

input        .req x0
output       .req x1
count        .req x2        // left, counts down
form         .req x3
at           .req x4
sign         .req v16       // 0x80000000
half         .req v17
kept         .req v18
least        .req v19
beyond       .req v20
most         .req v21

#include "../include/function.inc"
#include "flat_words.inc"

// v\i = its lanes as minifloats; v4-v6 are free
.macro convert i
    fabs    v4.4s, v\i\().4s
    add     v5.4s, v4.4s, half.4s
    and     v5.16b, v5.16b, kept.16b
    cmhs    v6.4s, v4.4s, beyond.4s
    bit     v5.16b, most.16b, v6.16b
    cmhs    v6.4s, v4.4s, least.4s
    and     v5.16b, v5.16b, v6.16b
    bif     v\i\().16b, v5.16b, sign.16b
.endm

function minifloat_f32f32_flat_16
    movi    sign.4s, #0x80, lsl #24
    ld1r    {half.4s}, [form], #4
    ld1r    {kept.4s}, [form], #4
    ld1r    {least.4s}, [form], #4
    ld1r    {beyond.4s}, [form], #4
    ld1r    {most.4s}, [form]
    convert_run
    ret
end_function minifloat_f32f32_flat_16
