/*toml
extends = "add_s8s8_flat_8_products.inc"
summary = "output = a + b, each times a multiplier, their sum rounded once as QNNPACK does, clamped"
*/

// QNNPACK's sum: ties go away from zero, so a sum below 0 is lowered by 1 before vrshl. QNNPACK has uint8; its bytes with 128
// taken off, and off the zero points, are these. Its multipliers have 22 bits.
//
// Cost of the hot loop, per 8 elements: 2 loads, 2 for the differences, 4 to widen them, 4 to multiply and add, 2 to lower
// sums, 2 to shift, 6 to narrow, add the zero point and clamp, 1 store, 2 for the loop = 25 instructions, 3.125 per element.
// The floor is 23: all but the loop's.

#include "add_s8s8_flat_8_products.inc"

// s0, s1 (4 x int32 each) = themselves, less 1 where they are below 0
.macro lower s0, s1
    vsra.s32 \s0, \s0, #31
    vsra.s32 \s1, \s1, #31
.endm

function add_s8s8_flat_8_qnnpack
    enter
    load_ways
    flat_bytes_of_two
    restore_vectors_and_return
end_function add_s8s8_flat_8_qnnpack
