/*toml
summary   = "output = ((a - 128) * alpha / 128 + b + kappa) * recip / 32768 - offset, and the extremes of the sum, as nnlib's QuantizedAdd"
prototype = "void (const uint8_t *a, const uint8_t *b, uint8_t *output, size_t count, const int16_t *way, int16_t *extremes)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
a        = { reg = "x0", read = "count", layout = "flat", dtype = "uint8" }
b        = { reg = "x1", read = "count", layout = "flat", dtype = "uint8" }
output   = { reg = "x2", write = "count", layout = "flat", dtype = "uint8" }
count    = { reg = "x3", range = [1, 1073741824] }
way      = { reg = "x4", read = "8", layout = "alpha_kappa_recip_offset", dtype = "int16", range = [-32512, 32512] }
extremes = { reg = "x5", write = "4", layout = "least_most", dtype = "int16" }
*/

// One pass of nnlib's add of tensors given by their ranges, into a guessed range of the output:
//
//     x = (a - 128) * alpha / 128 + b + kappa      the quotient rounded down, the sum saturated to int16
//     output = x * recip / 32768 - offset          the product rounded, ties upward, the difference saturated to uint8
//     extremes = the least and the greatest x
//
// x does not depend on the guess: the caller sees by its extremes whether the guess held, and if not, which range does
// for a second pass. In nnlib alpha is 128 times the quotient of both ranges' widths, a being the wider.
//
// sqdmulh of (a - 128) * 256 and alpha is that quotient, rounded down: 2 * 256 / 65536 = 1 / 128; it never saturates,
// as alpha is not -32768. uaddw adds b to kappa, which leaves room for it: so the int16 sum saturates once, at its end.
// The last 1-15 elements are filled up with the first of them, which leaves the extremes as they are. In place is
// allowed: output may be a or b.
//
// Cost of the hot loop, per 16 elements: 2 loads, 1 to take 128 off, 2 to widen, 2 to multiply, 4 to add, 4 for the
// extremes, 2 to multiply again, 2 for the offset, 2 to narrow, 1 store, 2 for the loop = 24 instructions, 1.500 per
// element. The floor is 22: all but the loop's.

    .arch armv8-a
    .text

in_a         .req x0
in_b         .req x1
output       .req x2
left         .req x3        // elements left, counts down
way          .req x4
extremes     .req x5
at           .req x6

alpha        .req v16
kappa        .req v17
recip        .req v18
offset       .req v19
sign         .req v20       // the highest bit of each byte
least        .req v21
most         .req v22

#include "../include/function.inc"
#include "../include/flat_bytes.inc"

// v0, v1 = the first of the last elements in all lanes
.macro fill_with_first
    ld1r    {v0.16b}, [in_a]
    ld1r    {v1.16b}, [in_b]
.endm

// v0 = the output from v0 of a and v1 of b; least, most = the extremes with those of x
.macro body
    eor     v0.16b, v0.16b, sign.16b
    shll    v2.8h, v0.8b, #8
    shll2   v3.8h, v0.16b, #8
    sqdmulh v2.8h, v2.8h, alpha.8h
    sqdmulh v3.8h, v3.8h, alpha.8h
    uaddw   v4.8h, kappa.8h, v1.8b
    uaddw2  v5.8h, kappa.8h, v1.16b
    sqadd   v2.8h, v2.8h, v4.8h
    sqadd   v3.8h, v3.8h, v5.8h
    smin    least.8h, least.8h, v2.8h
    smax    most.8h, most.8h, v2.8h
    smin    least.8h, least.8h, v3.8h
    smax    most.8h, most.8h, v3.8h
    sqrdmulh v2.8h, v2.8h, recip.8h
    sqrdmulh v3.8h, v3.8h, recip.8h
    sqsub   v2.8h, v2.8h, offset.8h
    sqsub   v3.8h, v3.8h, offset.8h
    sqxtun  v0.8b, v2.8h
    sqxtun2 v0.16b, v3.8h
.endm

function add_u8u8_flat_16_nnlib
    ld4r    {v16.8h, v17.8h, v18.8h, v19.8h}, [way]
    movi    sign.16b, #0x80
    movi    most.8h, #0x80, lsl #8
    mvni    least.8h, #0x80, lsl #8
    flat_bytes_of_two fill_with_first
    sminv   h0, least.8h
    smaxv   h1, most.8h
    str     h0, [extremes]
    str     h1, [extremes, #2]
    ret
end_function add_u8u8_flat_16_nnlib
