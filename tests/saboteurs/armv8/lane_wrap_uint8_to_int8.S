// saboteur: lane-wrap at line 23: 0 - 129 does not fit int8
/*toml
summary   = "out[i] = a[i] - 129, uint8 -> int8"
prototype = "void (const uint8_t *a, int8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
out = { reg = "x1", write = "n" }
n   = { reg = "x2", range = [8, 4096], step = 8 }
*/

// Zero points 0 and 128: a constant takes one kind of number to the other.

    .text
    .p2align 4
    .global lane_wrap_uint8_to_int8
    .type   lane_wrap_uint8_to_int8, %function
lane_wrap_uint8_to_int8:
    movi    v7.8b, #129
1:
    ldr     d0, [x0], #8
    subs    x2, x2, #8
    sub     v0.8b, v0.8b, v7.8b
    str     d0, [x1], #8
    b.ne    1b
    ret
    .size   lane_wrap_uint8_to_int8, . - lane_wrap_uint8_to_int8

    .section .note.GNU-stack,"",%progbits
