/*toml
summary   = "out[lane] = sum of the rows with an even number less those with an odd one, rows of 8 int8"
prototype = "void (const int8_t *a, int16_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n" }
out = { reg = "r1", write = "16" }
n   = { reg = "r2", range = [16, 2048], step = 16 }
*/

// Two rows a pass. With the highest in each even row and the lowest in each odd one, 128 pairs of rows fit int16.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global alternating_sum_of_rows
    .type   alternating_sum_of_rows, %function
alternating_sum_of_rows:
    vmov.i16 q2, #0
1:
    vld1.8  {d0, d1}, [r0]!
    subs    r2, r2, #16
    vaddw.s8 q2, q2, d0
    vsubw.s8 q2, q2, d1
    bne     1b
    vst1.16 {d4, d5}, [r1]
    bx      lr
    .size   alternating_sum_of_rows, . - alternating_sum_of_rows

    .section .note.GNU-stack,"",%progbits
