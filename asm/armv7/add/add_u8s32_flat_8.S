/*toml
summary   = "output = start + a * step_a + b * step_b, uint8 -> int32, as TensorFlow's QuantizedAdd of tensors given by their ranges"
prototype = "void (const uint8_t *a, const uint8_t *b, int32_t *output, size_t count, const int32_t *starts, const int16_t *steps)"
isa       = ["armv7-a", "neon"]
stack     = 0
[args]
a      = { reg = "r0", read = "count", layout = "flat", dtype = "uint8" }
b      = { reg = "r1", read = "count", layout = "flat", dtype = "uint8" }
output = { reg = "r2", write = "4*count", layout = "flat", dtype = "int32" }
count  = { reg = "r3", range = [0, 1073741824] }
starts = { reg = "stack+0", read = "8", layout = "a_b", dtype = "int32", range = [-536870912, 536870912] }
steps  = { reg = "stack+4", read = "4", layout = "a_b", dtype = "int16", range = [0, 32767] }
*/

// The sum in the range of plus or minus 2^headroom times the inputs' largest end: there 0 of a is starts[0], and one
// step more of a is steps[0] more; b likewise. For a headroom of 17 bits, as in nnlib, a step is at most 2^15 / 255,
// for the 14 of TensorFlow 2 at most 2^18 / 255: int16 holds it, and a byte times that needs no 32-bit multiply.
//
// The int32 sums are safe: they stay below 2^30 + 2 * 255 * 32767 < 2^31.
//
// Registers: d4, d5 the inputs, q8, q9 the same in 16 bits, q0, q1 the sums, q10 the sum of both starts, d6[0], d6[1]
// the steps.
//
// Cost of the hot loop, per 8 elements: 2 loads, 2 to widen, 2 to start from the sum of both starts, 4 to multiply and
// add, 1 store, 2 for the loop = 13 instructions, 1.625 per element. The floor is 11: all but the loop's.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text

in_a         .req r0
in_b         .req r1
output       .req r2
left         .req r3        // elements left, counts down
at           .req r12

#include "../include/function.inc"
#include "../include/flat_bytes.inc"

// q0, q1 = start + d4 * step_a + d5 * step_b
.macro body
    vmovl.u8 q8, d4
    vmovl.u8 q9, d5
    vmov    q0, q10
    vmov    q1, q10
    vmlal.s16 q0, d16, d6[0]
    vmlal.s16 q1, d17, d6[0]
    vmlal.s16 q0, d18, d6[1]
    vmlal.s16 q1, d19, d6[1]
.endm

// the output = q0, q1, whole or as many elements as are left
.macro store_sums
    vst1.32 {d0, d1, d2, d3}, [output]!
.endm
.macro store_part_of_sums
    tst     left, #4
    beq     .Lstore_up_to_three
    vst1.32 {d0, d1}, [output]!
    vmov    q0, q1
.Lstore_up_to_three:
    store_up_to_3_words output, d0, d1, left
.endm

function add_u8s32_flat_8
    ldr     at, [sp]
    vld1.32 {d20}, [at]
    vpadd.i32 d20, d20, d20
    vmov    d21, d20
    ldr     at, [sp, #4]
    vmov.i32 d6, #0
    vld1.32 {d6[0]}, [at]
    flat_bytes_of_two store=store_sums, store_part=store_part_of_sums
    bx      lr
end_function add_u8s32_flat_8
