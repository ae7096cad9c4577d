/*toml
extends   = "add_s8s8_flat_16.inc"
summary   = "output = a + b, each times a scale in float32 with fused steps, ties to even, as ONNX Runtime does, clamped"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *output, size_t count, const int16_t *points, const float *scales)"
[args]
scales = { reg = "x5", read = "8", layout = "a_b", dtype = "float32", range = [1e-9, 256.0] }
*/

// The sum as ONNX Runtime's QLinearAdd forms it where products are fused with additions; points holds the zero points of a, b
// and the output, and the lowest and highest value of the output:
//
//     fixed = zero - (scale_a * zero_a + (scale_b * zero_b))            the inner product rounded by itself
//     output = a * scale_a + (b * scale_b + fixed)                      rounded after each +, then to the nearest integer,
//                                                                       ties to even, held to [lowest, highest]
//
// The zero point of the output is in `fixed`, so narrowing adds none. In place is allowed: output may be a or b.
//
// Cost of the hot loop, per 16 elements: 2 loads, 12 to widen, 8 to convert, 4 to copy `fixed`, 8 to multiply and add, 4 to
// round, 8 to narrow and clamp, 1 store, 2 for the loop = 49 instructions, 3.062 per element. The floor is 47: all but the
// loop's.

#include "add_s8s8_flat_16.inc"

scales       .req x5
scale_a      .req v21
scale_b      .req v22
fixed        .req v23

// x0-x3 (4 x float32 each) = s (16 x int8), by way of h0, h1
.macro to_floats x0, x1, x2, x3, s, h0, h1
    sshll   \h0\().8h, \s\().8b, #0
    sshll2  \h1\().8h, \s\().16b, #0
    sshll   \x0\().4s, \h0\().4h, #0
    sshll2  \x1\().4s, \h0\().8h, #0
    sshll   \x2\().4s, \h1\().4h, #0
    sshll2  \x3\().4s, \h1\().8h, #0
    scvtf   \x0\().4s, \x0\().4s
    scvtf   \x1\().4s, \x1\().4s
    scvtf   \x2\().4s, \x2\().4s
    scvtf   \x3\().4s, \x3\().4s
.endm

// x0-x3 (4 x float32 each) += f0-f3 * scale
.macro add_scaled x0, x1, x2, x3, f0, f1, f2, f3, scale
    fmla    \x0\().4s, \f0\().4s, \scale\().4s
    fmla    \x1\().4s, \f1\().4s, \scale\().4s
    fmla    \x2\().4s, \f2\().4s, \scale\().4s
    fmla    \x3\().4s, \f3\().4s, \scale\().4s
.endm

// v0 (16 x int8) = the output from v0 of a and v1 of b
.macro body
    to_floats v26, v27, v28, v29, v0, v2, v3
    to_floats v4, v5, v30, v31, v1, v2, v3
    mov     v0.16b, fixed.16b
    mov     v1.16b, fixed.16b
    mov     v6.16b, fixed.16b
    mov     v7.16b, fixed.16b
    add_scaled v0, v1, v6, v7, v4, v5, v30, v31, scale_b
    add_scaled v0, v1, v6, v7, v26, v27, v28, v29, scale_a
    fcvtns  v0.4s, v0.4s
    fcvtns  v1.4s, v1.4s
    fcvtns  v6.4s, v6.4s
    fcvtns  v7.4s, v7.4s
    sqxtn   v0.4h, v0.4s
    sqxtn   v6.4h, v6.4s
    sqxtn2  v0.8h, v1.4s
    sqxtn2  v6.8h, v7.4s
    sqxtn   v0.8b, v0.8h
    sqxtn2  v0.16b, v6.8h
    smax    v0.16b, v0.16b, lowest.16b
    smin    v0.16b, v0.16b, highest.16b
.endm

// f.4s (float32) = what each of the first lanes of z (int16) holds
.macro point_to_float f, z
    sshll   \f\().4s, \z\().4h, #0
    scvtf   \f\().4s, \f\().4s
.endm

function add_s8s8_flat_16_fp32
    ld2r    {v16.8h, v17.8h}, [points], #4
    load_output_range
    ld2r    {v21.4s, v22.4s}, [scales]
    point_to_float v0, v17
    point_to_float v1, v16
    point_to_float fixed, zero
    fmul    v0.4s, v0.4s, scale_b.4s
    fmla    v0.4s, v1.4s, scale_a.4s
    fsub    fixed.4s, fixed.4s, v0.4s
    flat_bytes_of_two
    ret
end_function add_s8s8_flat_16_fp32
