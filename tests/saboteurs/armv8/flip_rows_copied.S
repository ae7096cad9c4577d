/*toml
summary   = "dst[i] = src[i] ^ 0x80, rows*n uint8, row by row through memcpy"
prototype = "void (uint8_t *dst, const uint8_t *src, size_t rows, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 64
[args]
dst  = { reg = "x0", write = "rows*n" }
src  = { reg = "x1", read = "rows*n" }
rows = { reg = "x2", range = [1, 16] }
n    = { reg = "x3", range = [16, 256], step = 16 }
*/

// What must outlive the call is in x19-x22 and in d8, the lower half of v8.

    .text
    .p2align 4
    .global flip_rows_copied
    .type   flip_rows_copied, %function
flip_rows_copied:
    stp     x29, x30, [sp, #-64]!
    stp     x19, x20, [sp, #16]
    stp     x21, x22, [sp, #32]
    str     d8, [sp, #48]
    mov     x19, x0
    mov     x20, x1
    mov     x21, x2
    mov     x22, x3
    movi    v8.8b, #0x80
1:
    mov     x0, x19
    mov     x1, x20
    mov     x2, x22
    bl      memcpy
    mov     x9, x22
2:
    ldr     d0, [x19]
    eor     v0.8b, v0.8b, v8.8b
    str     d0, [x19], #8
    subs    x9, x9, #8
    b.ne    2b
    add     x20, x20, x22
    subs    x21, x21, #1
    b.ne    1b
    ldr     d8, [sp, #48]
    ldp     x21, x22, [sp, #32]
    ldp     x19, x20, [sp, #16]
    ldp     x29, x30, [sp], #64
    ret
    .size   flip_rows_copied, . - flip_rows_copied

    .section .note.GNU-stack,"",%progbits
