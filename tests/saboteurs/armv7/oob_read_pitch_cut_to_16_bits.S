// saboteur: oob-read at line 25: of the pitch 16 bits are taken: right for rows that are less than 64 KiB apart
/*toml
summary   = "sums[r] = sum of the first 16 int8 of row r"
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
    .global oob_read_pitch_cut_to_16_bits
    .type   oob_read_pitch_cut_to_16_bits, %function
oob_read_pitch_cut_to_16_bits:
1:
    vld1.8  {d0, d1}, [r0]
    uxtah   r0, r0, r3
    vpaddl.s8 q0, q0
    vpaddl.s16 q0, q0
    vadd.i32 d0, d0, d1
    vpadd.i32 d0, d0, d0
    vst1.32 {d0[0]}, [r1]!
    subs    r2, r2, #1
    bne     1b
    bx      lr
    .size   oob_read_pitch_cut_to_16_bits, . - oob_read_pitch_cut_to_16_bits

    .section .note.GNU-stack,"",%progbits
