/*toml
extends   = "mul_s8s8_flat_8.inc"
summary   = "output = (a - zero_a) * (b - zero_b) * scale in float32, ties to even, as QNNPACK does, clamped"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *output, size_t count, const int16_t *points, const float *scale)"
modular   = ["vmovn.i32", "vmovn.i16", "vadd.i8"]
[args]
scale = { reg = "stack+4", read = "4", dtype = "float32", range = [1e-9, 256.0] }
*/

// points holds the zero points of a, b and the output, and the lowest and highest value of the output:
//
//     output = (a - zero_a) * (b - zero_b) * scale + zero       held to [lowest, highest]
//
// The product of the differences is exact in float32; that with scale rounds, then to the nearest integer, ties to
// even, by QNNPACK's magic number: why its last steps wrap stands in include/magic_number.inc. In place is allowed: output
// may be a or b.
//
// Registers: d4, d5 the inputs, q0, q1 the products, q4, q5 the lowest and the highest value less the zero point, as
// float32, d12, d13 the zero points of a and b, d14 that of the output, d6[0] the scale, q8, q9 the differences, q10
// 1.5 * 2^23.
//
// Cost of the hot loop, per 8 elements: 2 loads, 2 for the differences, 2 to multiply, 4 to scale, 4 to clamp, 2 to
// round, 4 to narrow and add the zero point, 1 store, 2 for the loop = 23 instructions, 2.875 per element. The floor is
// 21: all but the loop's.

#include "../include/magic_number.inc"
#include "mul_s8s8_flat_8.inc"

// d0, d1, d2 = the zero point, the lowest and the highest value of the output
.macro load_output_range
    vld3.16 {d0[], d1[], d2[]}, [range]
.endm

// d0 (8 x int8) = the output from d4 of a and d5 of b
.macro body
    differences
    vmull.s16 q0, d16, d18
    vmull.s16 q1, d17, d19
    vcvt.f32.s32 q0, q0
    vcvt.f32.s32 q1, q1
    vmul.f32 q0, q0, d6[0]
    vmul.f32 q1, q1, d6[0]
    vmax.f32 q0, q0, q4
    vmax.f32 q1, q1, q4
    vmin.f32 q0, q0, q5
    vmin.f32 q1, q1, q5
    vadd.f32 q0, q0, q10
    vadd.f32 q1, q1, q10
    vmovn.i32 d0, q0
    vmovn.i32 d1, q1
    vmovn.i16 d0, q0
    vadd.i8 d0, d0, d14
.endm

function mul_s8s8_flat_8_fp32
    enter
    load_magic_number d14, q10
    ldr     at, [sp, #68]
    vld1.32 {d6[]}, [at]
    flat_bytes_of_two
    restore_vectors_and_return
end_function mul_s8s8_flat_8_fp32
