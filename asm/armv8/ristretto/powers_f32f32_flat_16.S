/*toml
summary   = "output = the power of two that is nearest in the logarithm, with the sign of the input, as Ristretto"
prototype = "void (const float *input, float *output, size_t count, const uint32_t *limits)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
input  = { reg = "x0", read = "4*count", layout = "flat", dtype = "float32", range = [-3e38, 3e38] }
output = { reg = "x1", write = "4*count", layout = "flat", dtype = "float32" }
count  = { reg = "x2", range = [0, 1073741824] }
limits = { reg = "x3", read = "32", dtype = "uint32", range = [0, 2147483648] }
*/

// Ristretto's powers of two: +-2^e, where e is log2|x|, rounded and held between a least and a greatest exponent, of
// which there are up to 8. There is no 0: that becomes the least power.
//
// The bits of a float32 without its sign, a, are in the order of its size, so that e is found by comparing: limits
// holds the first a of which e is more than the least exponent, more than that by 1, and so on, 7 in all; 0x80000000
// where there is no such exponent; and at last the least power, as the uint32 of a float. Each comparison gives -1 or
// 0, and the sum of these counts the exponents. The sign is that of x unless x is 0. In place is allowed.
//
// Cost of the hot loop, per 16 elements: 1 load, 4 * 13 to count, 24 for the sign and the power, 1 store, 2 for the
// loop = 80 instructions, 5.000 per element. The floor is 78: all but the loop's.

    .arch armv8-a
    .text

input        .req x0
output       .req x1
count        .req x2        // left, counts down
limits       .req x3
at           .req x4
sign         .req v24       // 0x80000000
least_power  .req v23       // v16-v22 are the limits

#include "../include/function.inc"
#include "flat_words.inc"

// v5 less 1 where v4 is a limit or more
.macro count_limit limit
    cmhs    v6.4s, v4.4s, \limit\().4s
    add     v5.4s, v5.4s, v6.4s
.endm

// v\i = its lanes as powers of two; v4-v6 are free
.macro convert i
    fabs    v4.4s, v\i\().4s
    cmhs    v5.4s, v4.4s, v16.4s
    count_limit v17
    count_limit v18
    count_limit v19
    count_limit v20
    count_limit v21
    count_limit v22
    shl     v5.4s, v5.4s, #23
    sub     v5.4s, least_power.4s, v5.4s
    cmtst   v6.4s, v4.4s, v4.4s
    and     v\i\().16b, v\i\().16b, v6.16b
    bif     v\i\().16b, v5.16b, sign.16b
.endm

function powers_f32f32_flat_16
    movi    sign.4s, #0x80, lsl #24
  .irp limit, v16, v17, v18, v19, v20, v21, v22
    ld1r    {\limit\().4s}, [limits], #4
  .endr
    ld1r    {least_power.4s}, [limits]
    convert_run
    ret
end_function powers_f32f32_flat_16
