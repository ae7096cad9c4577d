/*toml
summary   = "dst[r][i] = rows - r, uint8, row by row through memset"
prototype = "void (uint8_t *dst, size_t rows, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 48
[args]
dst  = { reg = "x0", write = "rows*n" }
rows = { reg = "x1", range = [1, 16] }
n    = { reg = "x2", range = [1, 256] }
*/

// memset returns its first argument: the one register that may be counted on.

    .text
    .p2align 4
    .global numbered_rows
    .type   numbered_rows, %function
numbered_rows:
    stp     x29, x30, [sp, #-48]!
    stp     x19, x20, [sp, #16]
    str     x21, [sp, #32]
    mov     x19, x0
    mov     x20, x1
    mov     x21, x2
1:
    mov     x0, x19
    mov     w1, w20
    mov     x2, x21
    bl      memset
    add     x19, x0, x21
    subs    x20, x20, #1
    b.ne    1b
    ldr     x21, [sp, #32]
    ldp     x19, x20, [sp, #16]
    ldp     x29, x30, [sp], #48
    ret
    .size   numbered_rows, . - numbered_rows

    .section .note.GNU-stack,"",%progbits
