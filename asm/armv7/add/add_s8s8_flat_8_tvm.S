/*toml
extends = "add_s8s8_flat_8.inc"
summary = "output = a + b, each scaled to the output's scale and rounded as TVM does, clamped"
[args]
multipliers = { layout = "a_b" }
shifts      = { layout = "a_b", range = [-31, 8] }
*/

// The sum as TVM's qnn.add forms it; points holds the zero points of a, b and the output, and the lowest and highest
// value of the output:
//
//     x = (a - zero_a) * multiplier_a * 2^shift_a / 2^31      rounded once, ties upward; y from b likewise
//     output = x + y + zero                                   held to [lowest, highest]
//
// TVM's UPWARD, which is ruy's rounding too: (d * m + 2^(30-s)) >> (31-s). vshll by 16 makes d << 16, vqdmulh cuts d *
// m * 2^16 off to a multiple of 2^31, and a rounding shift to the right by 16 - s, at least 8, rounds it: what was cut
// off cannot change that. A scale of 1, 2^30 and 1, rounds nothing, as TVM has it. The sums stay below 2 * 255 * 2^8.
// In place is allowed: output may be a or b.
//
// Registers: d4, d5 the inputs, q0, q1 what becomes of a, q10, q11 of b, q4 and q5 the output's range, d12, d13 the
// zero points of a and b, d14 their multipliers, q8, q9 the differences, q12, q13 the shifts to the right of a and b,
// as numbers below 0.
//
// Cost of the hot loop, per 8 elements: 2 loads, 2 for the differences, 4 to widen them, 8 to scale them, 2 to add
// them, 6 to narrow, add the zero point and clamp, 1 store, 2 for the loop = 27 instructions, 3.375 per element. The
// floor is 25: all but the loop's.

#include "add_s8s8_flat_8.inc"

// d0 (8 x int8) = the output from d4 of a and d5 of b
.macro body
    differences
    vshll.i16 q0, d16, #16
    vshll.i16 q1, d17, #16
    vshll.i16 q10, d18, #16
    vshll.i16 q11, d19, #16
    vqdmulh.s32 q0, q0, d14[0]
    vqdmulh.s32 q1, q1, d14[0]
    vqdmulh.s32 q10, q10, d14[1]
    vqdmulh.s32 q11, q11, d14[1]
    vrshl.s32 q0, q0, q12
    vrshl.s32 q1, q1, q12
    vrshl.s32 q10, q10, q13
    vrshl.s32 q11, q11, q13
    vqadd.s32 q0, q0, q10
    vqadd.s32 q1, q1, q11
    narrow  8
.endm

function add_s8s8_flat_8_tvm
    enter
    ldr     at, [sp, #68]
    vld1.32 {d14}, [at]
    ldr     at, [sp, #72]
    vld1.32 {d24}, [at]
    vmov.i32 d25, #16
    vsub.i32 d24, d24, d25
    vdup.32 q13, d24[1]
    vdup.32 q12, d24[0]
    flat_bytes_of_two
    restore_vectors_and_return
end_function add_s8s8_flat_8_tvm
