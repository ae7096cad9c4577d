/*toml
summary   = "sums[row] = sum of 8*halves int8 of the row"
prototype = "void (const int8_t *src, int32_t *sums, size_t rows, size_t halves, size_t pitch)"
isa       = ["armv7-a", "neon"]
stack     = 24
[args]
src    = { reg = "r0", read = { rows = "rows", bytes = "8*halves", pitch = "pitch" }, over_read = 8 }
sums   = { reg = "r1", write = "4*rows" }
rows   = { reg = "r2", range = [1, 64] }
halves = { reg = "r3", range = [1, 16] }
pitch  = { reg = "stack+0", range = [8, 512] }
*/

// Rows are loaded 16 bytes at a time, which may read 8 beyond the end of one.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global sum_of_padded_rows
    .type   sum_of_padded_rows, %function
sum_of_padded_rows:
    push    {r4-r8, lr}
    ldr     r4, [sp, #24]
1:
    vmov.i32 q2, #0
    mov     r6, r0
    mov     r8, r3
2:
    vld1.8  {d0, d1}, [r6]!
    subs    r8, r8, #2
    bhs     3f
    vmov.i32 d1, #0
3:
    vpaddl.s8 q1, q0
    vpadal.s16 q2, q1
    bhi     2b
    vadd.i32 d4, d4, d5
    vpadd.i32 d4, d4, d4
    vst1.32 {d4[0]}, [r1]!
    add     r0, r0, r4
    subs    r2, r2, #1
    bne     1b
    pop     {r4-r8, pc}
    .size   sum_of_padded_rows, . - sum_of_padded_rows

    .section .note.GNU-stack,"",%progbits
