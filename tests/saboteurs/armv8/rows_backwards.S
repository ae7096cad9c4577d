/*toml
summary   = "dst[row] = src[row], rows of 16*blocks bytes, from below or from above"
prototype = "void (const uint8_t *src, uint8_t *dst, size_t rows, size_t blocks, ptrdiff_t src_pitch, ptrdiff_t dst_pitch)"
isa       = ["armv8.0-a", "neon"]
[args]
src       = { reg = "x0", read = { rows = "rows", bytes = "16*blocks", pitch = "src_pitch" } }
dst       = { reg = "x1", write = { rows = "rows", bytes = "16*blocks", pitch = "dst_pitch" } }
rows      = { reg = "x2", range = [1, 64] }
blocks    = { reg = "x3", range = [1, 8] }
src_pitch = { reg = "x4", range = [-512, 512] }
dst_pitch = { reg = "x5", range = [-512, 512] }
*/

// A row is 1 to 8 blocks of 16 bytes. A negative pitch goes from the highest row down.

    .text
    .p2align 4
    .global rows_backwards
    .type   rows_backwards, %function
rows_backwards:
1:
    mov     x6, x0
    mov     x7, x1
    mov     x8, x3
2:
    ldr     q0, [x6], #16
    str     q0, [x7], #16
    subs    x8, x8, #1
    b.ne    2b
    add     x0, x0, x4
    add     x1, x1, x5
    subs    x2, x2, #1
    b.ne    1b
    ret
    .size   rows_backwards, . - rows_backwards

    .section .note.GNU-stack,"",%progbits
