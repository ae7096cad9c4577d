/*toml
summary   = "sums[r] = sum of 16 int8 of row r, rows at a pitch"
prototype = "void (const int8_t *src, int32_t *sums, size_t rows, size_t pitch)"
isa       = ["armv7-a", "neon"]
[args]
src   = { reg = "r0", read = { rows = "rows", bytes = "16", pitch = "pitch" } }
sums  = { reg = "r1", write = "4*rows" }
rows  = { reg = "r2", range = [1, 64] }
pitch = { reg = "r3", range = [16, 1048576] }
*/

// One row a pass: 16 bytes, added in pairs, pairs of pairs, and so on.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global sum_rows_of_a_pitch
    .type   sum_rows_of_a_pitch, %function
sum_rows_of_a_pitch:
1:
    vld1.8  {d0, d1}, [r0]
    add     r0, r0, r3
    vpaddl.s8 q0, q0
    vpaddl.s16 q0, q0
    vadd.i32 d0, d0, d1
    vpadd.i32 d0, d0, d0
    vst1.32 {d0[0]}, [r1]!
    subs    r2, r2, #1
    bne     1b
    bx      lr
    .size   sum_rows_of_a_pitch, . - sum_rows_of_a_pitch

    .section .note.GNU-stack,"",%progbits
