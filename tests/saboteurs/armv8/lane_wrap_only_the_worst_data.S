// saboteur: lane-wrap at line 26: 257 bytes and more do not add up in int16, whatever pattern of data hides it
/*toml
summary   = "out[lane] = sum of the rows with an even number less those with an odd one, rows of 8 int8"
prototype = "void (const int8_t *a, int16_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
out = { reg = "x1", write = "16" }
n   = { reg = "x2", range = [2304, 9216], step = 16 }
*/

// Equal rows cancel, and of random ones most of the sum does: it takes the highest in each even row and the lowest in
// each odd one to leave int16.

    .text
    .p2align 4
    .global lane_wrap_only_the_worst_data
    .type   lane_wrap_only_the_worst_data, %function
lane_wrap_only_the_worst_data:
    movi    v2.8h, #0
1:
    ldr     d0, [x0], #8
    ldr     d1, [x0], #8
    subs    x2, x2, #16
    saddw   v2.8h, v2.8h, v0.8b
    ssubw   v2.8h, v2.8h, v1.8b
    b.ne    1b
    st1     {v2.8h}, [x1]
    ret
    .size   lane_wrap_only_the_worst_data, . - lane_wrap_only_the_worst_data

    .section .note.GNU-stack,"",%progbits
