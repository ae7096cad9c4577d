/*toml
summary   = "dst[row] = src[row], rows of 8*halves bytes"
prototype = "void (const uint8_t *src, uint8_t *dst, size_t rows, size_t halves, size_t src_pitch, size_t dst_pitch)"
isa       = ["armv8.0-a", "neon"]
[args]
src       = { reg = "x0", read = { rows = "rows", bytes = "8*halves", pitch = "src_pitch" }, over_read = 8 }
dst       = { reg = "x1", write = { rows = "rows", bytes = "8*halves", pitch = "dst_pitch" } }
rows      = { reg = "x2", range = [1, 64] }
halves    = { reg = "x3", range = [1, 16] }
src_pitch = { reg = "x4", range = [8, 512] }
dst_pitch = { reg = "x5", range = [8, 512] }
*/

// A row is 1 to 16 halves of a vector, always loaded two at a time: past the end of a row up to 8 bytes are read, and
// nothing comes of them.

    .text
    .p2align 4
    .global over_read_of_rows
    .type   over_read_of_rows, %function
over_read_of_rows:
1:
    mov     x6, x0
    mov     x7, x1
    mov     x8, x3
2:
    ldr     q0, [x6], #16
    subs    x8, x8, #2
    b.lo    3f
    str     q0, [x7], #16
    b.ne    2b
    b       4f
3:
    str     d0, [x7], #8
4:
    add     x0, x0, x4
    add     x1, x1, x5
    subs    x2, x2, #1
    b.ne    1b
    ret
    .size   over_read_of_rows, . - over_read_of_rows

    .section .note.GNU-stack,"",%progbits
