// saboteur: lane-wrap at line 29: 257 bytes and more do not add up in int16, whatever pattern of data hides it
/*toml
summary   = "out[lane] = sum of the rows with an even number less those with an odd one, rows of 8 int8"
prototype = "void (const int8_t *a, int16_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n" }
out = { reg = "r1", write = "16" }
n   = { reg = "r2", range = [2304, 9216], step = 16 }
*/

// Equal rows cancel, and of random ones most of the sum does: it takes the highest in each even row and the lowest in
// each odd one to leave int16.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global lane_wrap_only_the_worst_data
    .type   lane_wrap_only_the_worst_data, %function
lane_wrap_only_the_worst_data:
    vmov.i16 q2, #0
1:
    vld1.8  {d0, d1}, [r0]!
    subs    r2, r2, #16
    vaddw.s8 q2, q2, d0
    vsubw.s8 q2, q2, d1
    bne     1b
    vst1.16 {d4, d5}, [r1]
    bx      lr
    .size   lane_wrap_only_the_worst_data, . - lane_wrap_only_the_worst_data

    .section .note.GNU-stack,"",%progbits
