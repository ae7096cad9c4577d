/*toml
extends = "add_s8s8_flat_16_products.inc"
summary = "output = a + b, each times a multiplier, their sum rounded once as QNNPACK does, clamped"
*/

// QNNPACK's sum: ties go away from zero, so a sum below 0 is lowered by 1 before srshl. QNNPACK has uint8; its bytes with 128
// taken off, and off the zero points, are these. Its multipliers have 22 bits.
//
// Cost of the hot loop, per 16 elements: 2 loads, 4 for the differences, 8 to widen them, 8 to multiply and add, 4 to lower
// sums, 4 to shift, 10 to narrow, add the zero point and clamp, 1 store, 2 for the loop = 43 instructions, 2.688 per element.
// The floor is 41: all but the loop's.

#include "add_s8s8_flat_16_products.inc"

// s0-s3 (4 x int32 each) = themselves, less 1 where they are below 0
.macro lower s0, s1, s2, s3
    ssra    \s0\().4s, \s0\().4s, #31
    ssra    \s1\().4s, \s1\().4s, #31
    ssra    \s2\().4s, \s2\().4s, #31
    ssra    \s3\().4s, \s3\().4s, #31
.endm

function add_s8s8_flat_16_qnnpack
    load_ways
    flat_bytes_of_two
    ret
end_function add_s8s8_flat_16_qnnpack
