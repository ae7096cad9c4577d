/*toml
summary   = "sums[r] = sum of the first 16 int8 of row r"
prototype = "void (const int8_t *src, int32_t *sums, int32_t rows, int32_t stride)"
isa       = ["armv7-a", "neon"]
stack     = 4
[args]
src    = { reg = "r0", read = "(rows - 1)*stride + 16" }
sums   = { reg = "r1", write = "4*rows" }
rows   = { reg = "r2", range = [1, 64] }
stride = { reg = "r3", range = [16, 256] }
*/

// One row a pass: 16 bytes, added in pairs, pairs of pairs, and so on.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global sum_rows_flushing
    .type   sum_rows_flushing, %function
sum_rows_flushing:
    vmrs    r12, fpscr
    push    {r12}
    orr     r12, r12, #(1 << 24)
    vmsr    fpscr, r12
1:
    vld1.8  {d0, d1}, [r0], r3
    vpaddl.s8 q0, q0
    vpaddl.s16 q0, q0
    vadd.i32 d0, d0, d1
    vpadd.i32 d0, d0, d0
    vst1.32 {d0[0]}, [r1]!
    subs    r2, r2, #1
    bne     1b
    pop     {r12}
    vmsr    fpscr, r12
    bx      lr
    .size   sum_rows_flushing, . - sum_rows_flushing

    .section .note.GNU-stack,"",%progbits
