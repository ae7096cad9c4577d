/*toml
extends = "add_s8s8_flat_16_products.inc"
summary = "output = a + b, each times a multiplier, their sum rounded once as XNNPACK does, clamped"
*/

// XNNPACK's sum of int8 and of uint8: ties go upward, as srshl rounds them. Its multipliers have 21 bits.
//
// Cost of the hot loop, per 16 elements: 2 loads, 4 for the differences, 8 to widen them, 8 to multiply and add, 4 to shift,
// 10 to narrow, add the zero point and clamp, 1 store, 2 for the loop = 39 instructions, 2.438 per element. The floor is 37:
// all but the loop's.

#include "add_s8s8_flat_16_products.inc"

.macro lower s0, s1, s2, s3
.endm

function add_s8s8_flat_16_xnnpack
    load_ways
    flat_bytes_of_two
    ret
end_function add_s8s8_flat_16_xnnpack
