/*toml
extends = "add_s8s8_flat_8_products.inc"
summary = "output = a + b, each times a multiplier, their sum rounded once as XNNPACK does, clamped"
*/

// XNNPACK's sum of int8 and of uint8: ties go upward, as vrshl rounds them. Its multipliers have 21 bits.
//
// Cost of the hot loop, per 8 elements: 2 loads, 2 for the differences, 4 to widen them, 4 to multiply and add, 2 to shift, 6
// to narrow, add the zero point and clamp, 1 store, 2 for the loop = 23 instructions, 2.875 per element. The floor is 21: all
// but the loop's.

#include "add_s8s8_flat_8_products.inc"

.macro lower s0, s1
.endm

function add_s8s8_flat_8_xnnpack
    enter
    load_ways
    flat_bytes_of_two
    restore_vectors_and_return
end_function add_s8s8_flat_8_xnnpack
