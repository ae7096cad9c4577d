/*toml
summary   = "sums[row] = sum of 8*halves int8 of the row"
prototype = "void (const int8_t *src, int32_t *sums, size_t rows, size_t halves, size_t pitch)"
isa       = ["armv8.0-a", "neon"]
[args]
src    = { reg = "x0", read = { rows = "rows", bytes = "8*halves", pitch = "pitch" }, over_read = 8 }
sums   = { reg = "x1", write = "4*rows" }
rows   = { reg = "x2", range = [1, 64] }
halves = { reg = "x3", range = [1, 16] }
pitch  = { reg = "x4", range = [8, 512] }
*/

// Rows are loaded 16 bytes at a time, which may read 8 beyond the end of one.

    .text
    .p2align 4
    .global sum_of_padded_rows
    .type   sum_of_padded_rows, %function
sum_of_padded_rows:
1:
    movi    v2.4s, #0
    mov     x6, x0
    mov     x8, x3
2:
    ldr     q0, [x6], #16
    subs    x8, x8, #2
    b.hs    3f
    mov     v0.d[1], xzr
3:
    saddlp  v1.8h, v0.16b
    sadalp  v2.4s, v1.8h
    b.hi    2b
    addv    s2, v2.4s
    str     s2, [x1], #4
    add     x0, x0, x4
    subs    x2, x2, #1
    b.ne    1b
    ret
    .size   sum_of_padded_rows, . - sum_of_padded_rows

    .section .note.GNU-stack,"",%progbits
