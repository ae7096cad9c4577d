/*toml
extends   = "mul_s8s8_flat_16.inc"
summary   = "output = (a - zero_a) * (b - zero_b) * scale in float32, ties to even, as QNNPACK does, clamped"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *output, size_t count, const int16_t *points, const float *scale)"
[args]
scale = { reg = "x5", read = "4", dtype = "float32", range = [1e-9, 256.0] }
*/

// points holds the zero points of a, b and the output, and the lowest and highest value of the output:
//
//     output = (a - zero_a) * (b - zero_b) * scale + zero       held to [lowest, highest]
//
// The product of the differences is exact in float32; that with scale rounds, then fcvtns to the nearest integer, ties
// to even. In place is allowed: output may be a or b.
//
// Cost of the hot loop, per 16 elements: 2 loads, 4 for the differences, 4 to multiply, 12 to scale, 10 to narrow, add
// the zero point and clamp, 1 store, 2 for the loop = 35 instructions, 2.188 per element. The floor is 33: all but the
// loop's.

#include "mul_s8s8_flat_16.inc"

scales       .req x5
scale        .req v22

// v0 (16 x int8) = the output from v0 of a and v1 of b
.macro body
    differences
    smull   v0.4s, v2.4h, v4.4h
    smull2  v1.4s, v2.8h, v4.8h
    smull   v6.4s, v3.4h, v5.4h
    smull2  v7.4s, v3.8h, v5.8h
    scvtf   v0.4s, v0.4s
    scvtf   v1.4s, v1.4s
    scvtf   v6.4s, v6.4s
    scvtf   v7.4s, v7.4s
    fmul    v0.4s, v0.4s, scale.4s
    fmul    v1.4s, v1.4s, scale.4s
    fmul    v6.4s, v6.4s, scale.4s
    fmul    v7.4s, v7.4s, scale.4s
    fcvtns  v0.4s, v0.4s
    fcvtns  v1.4s, v1.4s
    fcvtns  v6.4s, v6.4s
    fcvtns  v7.4s, v7.4s
    narrow_16 v0, v1, v6, v7
.endm

function mul_s8s8_flat_16_fp32
    load_points
    ld1r    {scale.4s}, [scales]
    flat_bytes_of_two
    ret
end_function mul_s8s8_flat_16_fp32
