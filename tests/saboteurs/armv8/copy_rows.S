/*toml
summary   = "dst[row] = src[row], rows of width bytes at strides of their own"
prototype = "void (const uint8_t *src, uint8_t *dst, size_t rows, size_t width, size_t src_stride, size_t dst_stride)"
isa       = ["armv8.0-a", "neon"]
stack     = 48
[args]
src        = { reg = "x0", read = { rows = "rows", bytes = "width", pitch = "src_stride" } }
dst        = { reg = "x1", write = { rows = "rows", bytes = "width", pitch = "dst_stride" } }
rows       = { reg = "x2", range = [1, 64] }
width      = { reg = "x3", range = [1, 64] }
src_stride = { reg = "x4", range = [1, 256] }
dst_stride = { reg = "x5", range = [1, 256] }
*/

// The next row's two pointers wait on the stack while a row is copied, 16 bytes a pass and then one at a time.
// Frame: x29 and x30 at 0, x19 and x20 at 16, the pointers at 32.

    .text
    .p2align 4
    .global copy_rows
    .type   copy_rows, %function
copy_rows:
    stp     x29, x30, [sp, #-48]!
    mov     x29, sp
    stp     x19, x20, [sp, #16]
    stp     x0, x1, [sp, #32]
1:
    ldp     x19, x20, [sp, #32]
    add     x6, x19, x4
    add     x7, x20, x5
    stp     x6, x7, [sp, #32]
    subs    x8, x3, #16
    b.lo    3f
2:
    ldr     q0, [x19], #16
    str     q0, [x20], #16
    subs    x8, x8, #16
    b.hs    2b
3:
    adds    x8, x8, #16
    b.eq    5f
4:
    ldrb    w6, [x19], #1
    strb    w6, [x20], #1
    subs    x8, x8, #1
    b.ne    4b
5:
    subs    x2, x2, #1
    b.ne    1b
    ldp     x19, x20, [sp, #16]
    ldp     x29, x30, [sp], #48
    ret
    .size   copy_rows, . - copy_rows

    .section .note.GNU-stack,"",%progbits
