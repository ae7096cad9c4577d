/*toml
summary   = "output = start + a * step_a + b * step_b, uint8 -> int32, as TensorFlow's QuantizedAdd of tensors given by their ranges"
prototype = "void (const uint8_t *a, const uint8_t *b, int32_t *output, size_t count, const int32_t *starts, const int16_t *steps)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
a      = { reg = "x0", read = "count", layout = "flat", dtype = "uint8" }
b      = { reg = "x1", read = "count", layout = "flat", dtype = "uint8" }
output = { reg = "x2", write = "4*count", layout = "flat", dtype = "int32" }
count  = { reg = "x3", range = [0, 1073741824] }
starts = { reg = "x4", read = "8", layout = "a_b", dtype = "int32", range = [-536870912, 536870912] }
steps  = { reg = "x5", read = "4", layout = "a_b", dtype = "int16", range = [0, 32767] }
*/

// The sum in the range of plus or minus 2^headroom times the inputs' largest end: there 0 of a is starts[0], and one
// step more of a is steps[0] more; b likewise. For a headroom of 17 bits, as in nnlib, a step is at most 2^15 / 255,
// for the 14 of TensorFlow 2 at most 2^18 / 255: int16 holds it, and a byte times that needs no 32-bit multiply.
//
// The int32 sums are safe: they stay below 2^30 + 2 * 255 * 32767 < 2^31.
//
// Cost of the hot loop, per 16 elements: 2 loads, 4 to widen, 4 to start from the sum of both starts, 8 to multiply and
// add, 1 store, 2 for the loop = 21 instructions, 1.312 per element. The floor is 19: all but the loop's.

    .arch armv8-a
    .text

in_a         .req x0
in_b         .req x1
output       .req x2
left         .req x3        // elements left, counts down
starts       .req x4
steps        .req x5
at           .req x6

start        .req v16       // of both
step_a       .req v17
step_b       .req v18

#include "../include/function.inc"
#include "../include/flat_bytes.inc"

// v4-v7 = start + v0 * step_a + v1 * step_b
.macro body
    uxtl    v2.8h, v0.8b
    uxtl2   v3.8h, v0.16b
    uxtl    v0.8h, v1.8b
    uxtl2   v1.8h, v1.16b
    mov     v4.16b, start.16b
    mov     v5.16b, start.16b
    mov     v6.16b, start.16b
    mov     v7.16b, start.16b
    smlal   v4.4s, v2.4h, step_a.4h
    smlal2  v5.4s, v2.8h, step_a.8h
    smlal   v6.4s, v3.4h, step_a.4h
    smlal2  v7.4s, v3.8h, step_a.8h
    smlal   v4.4s, v0.4h, step_b.4h
    smlal2  v5.4s, v0.8h, step_b.8h
    smlal   v6.4s, v1.4h, step_b.4h
    smlal2  v7.4s, v1.8h, step_b.8h
.endm

// the output = v4-v7, whole or as many elements as are left
.macro store_sums
    st1     {v4.4s, v5.4s, v6.4s, v7.4s}, [output], #64
.endm
.macro store_part_of_sums
    tbz     left, #3, .Lstore_up_to_seven
    st1     {v4.4s, v5.4s}, [output], #32
    mov     v4.16b, v6.16b
    mov     v5.16b, v7.16b
.Lstore_up_to_seven:
    tbz     left, #2, .Lstore_up_to_three
    st1     {v4.4s}, [output], #16
    mov     v4.16b, v5.16b
.Lstore_up_to_three:
    store_up_to_3_words output, v4, left
.endm

function add_u8s32_flat_16
    ld2r    {v16.4s, v17.4s}, [starts]
    add     start.4s, v16.4s, v17.4s
    ld2r    {v17.8h, v18.8h}, [steps]
    flat_bytes_of_two store=store_sums, store_part=store_part_of_sums
    ret
end_function add_u8s32_flat_16
