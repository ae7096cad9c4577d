/*toml
extends = "quantize_f32s8_flat_16.inc"
summary = "output = input * inverse, rounded to the nearest, ties to even, as QNNPACK and ONNX Runtime; + zero point, clamped"
modular = ["vmovn.i32", "vmovn.i16", "vadd.i8"]
*/

// The output: input * inverse, rounded, + zero point, held to [lowest, highest]; inverse is 1 / scale, range holds the
// other three.
//
// float32, one product, which rounds; then to the nearest integer, ties to even, as QNNPACK, PyTorch and ONNX Runtime
// do, by QNNPACK's magic number: why its last steps wrap stands in include/magic_number.inc.
//
// Registers: q0-q3 the numbers, q4, q5 the lowest and the highest value less the zero point, as float32, q6 1.5 * 2^23,
// q7 the zero point, q8 the scale.
//
// Cost of the hot loop, per 16 elements: 2 loads, 4 to scale, 8 to clamp, 4 to round, 7 to narrow and add
// the zero point, 1 store, 2 for the loop = 28 instructions, 1.750 per element. The floor is 26: all but the loop's.

#define KERNEL quantize_f32s8_flat_16_fp32
#include "../include/magic_number.inc"

.macro load_constants
    vld3.16 {d0[], d1[], d2[]}, [range]
    load_magic_number q7, q6
    vld1.32 {d16[], d17[]}, [inverse]
.endm

// d0, d1 (16 x int8) = q0-q3 * scale, rounded, in the output's range
.macro quantize_16
    vmul.f32 q0, q0, q8
    vmul.f32 q1, q1, q8
    vmul.f32 q2, q2, q8
    vmul.f32 q3, q3, q8
    vmax.f32 q0, q0, q4
    vmax.f32 q1, q1, q4
    vmax.f32 q2, q2, q4
    vmax.f32 q3, q3, q4
    vmin.f32 q0, q0, q5
    vmin.f32 q1, q1, q5
    vmin.f32 q2, q2, q5
    vmin.f32 q3, q3, q5
    vadd.f32 q0, q0, q6
    vadd.f32 q1, q1, q6
    vadd.f32 q2, q2, q6
    vadd.f32 q3, q3, q6
    vmovn.i32 d0, q0
    vmovn.i32 d1, q1
    vmovn.i32 d4, q2
    vmovn.i32 d5, q3
    vmovn.i16 d0, q0
    vmovn.i16 d1, q2
    vadd.i8 q0, q0, q7
.endm

// d0 (4 x int8) = q0 likewise
.macro quantize_4
    vmul.f32 q0, q0, q8
    vmax.f32 q0, q0, q4
    vmin.f32 q0, q0, q5
    vadd.f32 q0, q0, q6
    vmovn.i32 d0, q0
    vmovn.i16 d0, q0
    vadd.i8 d0, d0, d14
.endm

#include "quantize_f32s8_flat_16.inc"
