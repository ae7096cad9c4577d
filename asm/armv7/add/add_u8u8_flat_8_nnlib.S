/*toml
summary   = "output = ((a - 128) * alpha / 128 + b + kappa) * recip / 32768 - offset, and the extremes of the sum, as nnlib's QuantizedAdd"
prototype = "void (const uint8_t *a, const uint8_t *b, uint8_t *output, size_t count, const int16_t *way, int16_t *extremes)"
isa       = ["armv7-a", "neon"]
stack     = 0
[args]
a        = { reg = "r0", read = "count", layout = "flat", dtype = "uint8" }
b        = { reg = "r1", read = "count", layout = "flat", dtype = "uint8" }
output   = { reg = "r2", write = "count", layout = "flat", dtype = "uint8" }
count    = { reg = "r3", range = [1, 1073741824] }
way      = { reg = "stack+0", read = "8", layout = "alpha_kappa_recip_offset", dtype = "int16", range = [-32512, 32512] }
extremes = { reg = "stack+4", write = "4", layout = "least_most", dtype = "int16" }
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
// vqdmulh of (a - 128) * 256 and alpha is that quotient, rounded down: 2 * 256 / 65536 = 1 / 128; it never saturates,
// as alpha is not -32768. vaddw adds b to kappa, which leaves room for it: so the int16 sum saturates once, at its end.
// The last 1-7 elements are filled up with the first of them, which leaves the extremes as they are. In place is
// allowed: output may be a or b.
//
// Registers: d4, d5 the inputs, q0 and q1 free, d7 alpha, kappa, recip and offset, q14 kappa, q15 the offset, d6 the
// highest bit of each byte, q8, q9 the extremes.
//
// Cost of the hot loop, per 8 elements: 2 loads, 1 to take 128 off, 1 to widen, 1 to multiply, 2 to add, 2 for the
// extremes, 1 to multiply again, 1 for the offset, 1 to narrow, 1 store, 2 for the loop = 15 instructions, 1.875 per
// element. The floor is 13: all but the loop's.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

in_a         .req r0
in_b         .req r1
output       .req r2
left         .req r3        // elements left, counts down
at           .req r12

#include "../include/function.inc"
#include "../include/flat_bytes.inc"

// d4, d5 = the first of the last elements in all lanes
.macro fill_with_first
    vld1.8  {d4[]}, [in_a]
    vld1.8  {d5[]}, [in_b]
.endm

// d0 = the output from d4 of a and d5 of b; q8, q9 = the extremes with those of x
.macro body
    veor    d4, d4, d6
    vshll.i8 q0, d4, #8
    vqdmulh.s16 q0, q0, d7[0]
    vaddw.u8 q1, q14, d5
    vqadd.s16 q0, q0, q1
    vmin.s16 q8, q8, q0
    vmax.s16 q9, q9, q0
    vqrdmulh.s16 q0, q0, d7[2]
    vqsub.s16 q0, q0, q15
    vqmovun.s16 d0, q0
.endm

function add_u8u8_flat_8_nnlib
    ldr     at, [sp]
    vld1.16 {d7}, [at]
    vdup.16 q14, d7[1]
    vdup.16 q15, d7[3]
    vmov.i8 d6, #0x80
    vmov.i16 q9, #0x8000
    vmvn.i16 q8, #0x8000
    flat_bytes_of_two fill_with_first
    vmin.s16 d16, d16, d17
    vmax.s16 d18, d18, d19
    vpmin.s16 d16, d16, d16
    vpmax.s16 d18, d18, d18
    vpmin.s16 d16, d16, d16
    vpmax.s16 d18, d18, d18
    ldr     at, [sp, #4]
    vst1.16 {d16[0]}, [at]!
    vst1.16 {d18[0]}, [at]
    bx      lr
end_function add_u8u8_flat_8_nnlib
