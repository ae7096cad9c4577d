/*toml
extends   = "quantize_f32s8_flat_16.inc"
summary   = "output = input * inverse + dither, rounded down: rounded up as likely as its fraction is large, as Ristretto; + zero point, clamped"
prototype = "void (const float *input, int8_t *output, size_t count, const float *inverse, const int16_t *range, const float *dither)"
[args]
dither = { reg = "stack+4", read = "4*count", layout = "flat", dtype = "float32", range = [5.9604645e-8, 1.0] }
*/

// The output: input * inverse + dither, rounded down, + zero point, held to [lowest, highest]; inverse is 1 / scale, range
// holds the other three.
//
// float32, one product and one sum, which round; then rounded down, as Ristretto's __float2int_rd. Who draws dither
// uniformly from the multiples of 2^-24 in (0, 1], as curand does, rounds without bias. It is not 0, so that a product
// too small for a normal number, which NEON takes for 0 here, makes no difference.
//
// ARMv7 has no vcvtm, which rounds down: it cuts off. What is greater then than it was is one too great. What does not
// fit saturates, infinities too.
//
// Registers: r3 the scale, and once that is loaded dither; q0-q3 the numbers, q4 and q5 the output's range, q6 and q7 free,
// q8 the scale, q9-q12 what is added, and then the numbers cut off, q13 and q14 the lowest and the highest value.
//
// Cost of the hot loop, per 16 elements: 4 loads, 4 to scale, 4 to add, 16 to round, 10 to narrow, add the zero point and
// clamp, 1 store, 2 for the loop = 41 instructions, 2.562 per element. The floor is 39: all but the loop's.

#define KERNEL quantize_f32s8_flat_16_stochastic
#define DITHER r3
#include "../include/narrow.inc"

.macro load_constants
    load_output_range
    vld1.32 {d16[], d17[]}, [inverse]
    ldr     DITHER, [sp, #68]
    spread_output_range
.endm

// d0, d1 (16 x int8) = q0-q3 * scale + q9-q12, rounded down, in the output's range
.macro quantize_16
    vmul.f32 q0, q0, q8
    vmul.f32 q1, q1, q8
    vmul.f32 q2, q2, q8
    vmul.f32 q3, q3, q8
    vadd.f32 q0, q0, q9
    vadd.f32 q1, q1, q10
    vadd.f32 q2, q2, q11
    vadd.f32 q3, q3, q12
    vcvt.s32.f32 q9, q0
    vcvt.s32.f32 q10, q1
    vcvt.s32.f32 q11, q2
    vcvt.s32.f32 q12, q3
    vcvt.f32.s32 q6, q9
    vcvt.f32.s32 q7, q10
    vcgt.f32 q0, q6, q0
    vcgt.f32 q1, q7, q1
    vcvt.f32.s32 q6, q11
    vcvt.f32.s32 q7, q12
    vcgt.f32 q2, q6, q2
    vcgt.f32 q3, q7, q3
    vqadd.s32 q0, q9, q0                            // - 1 where it was cut off upwards
    vqadd.s32 q1, q10, q1
    vqadd.s32 q2, q11, q2
    vqadd.s32 q3, q12, q3
    narrow_16
.endm

// d0 (4 x int8) = q0 likewise, with q9
.macro quantize_4
    vmul.f32 q0, q0, q8
    vadd.f32 q0, q0, q9
    vcvt.s32.f32 q9, q0
    vcvt.f32.s32 q6, q9
    vcgt.f32 q0, q6, q0
    vqadd.s32 q0, q9, q0
    narrow  4
.endm

#include "quantize_f32s8_flat_16.inc"
