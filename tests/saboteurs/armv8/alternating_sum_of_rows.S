/*toml
summary   = "out[lane] = sum of the rows with an even number less those with an odd one, rows of 8 int8"
prototype = "void (const int8_t *a, int16_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
out = { reg = "x1", write = "16" }
n   = { reg = "x2", range = [16, 2048], step = 16 }
*/

// Two rows a pass. With the highest in each even row and the lowest in each odd one, 128 pairs of rows fit int16.

    .text
    .p2align 4
    .global alternating_sum_of_rows
    .type   alternating_sum_of_rows, %function
alternating_sum_of_rows:
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
    .size   alternating_sum_of_rows, . - alternating_sum_of_rows

    .section .note.GNU-stack,"",%progbits
