/*toml
summary   = "dst[row] = src[row], rows of width bytes at strides of their own"
prototype = "void (const uint8_t *src, uint8_t *dst, size_t rows, size_t width, size_t src_stride, size_t dst_stride)"
isa       = ["armv7-a", "neon"]
stack     = 32
[args]
src        = { reg = "r0", read = { rows = "rows", bytes = "width", pitch = "src_stride" } }
dst        = { reg = "r1", write = { rows = "rows", bytes = "width", pitch = "dst_stride" } }
rows       = { reg = "r2", range = [1, 64] }
width      = { reg = "r3", range = [1, 64] }
src_stride = { reg = "stack+0", range = [1, 256] }
dst_stride = { reg = "stack+4", range = [1, 256] }
*/

// The next row's two pointers wait on the stack while a row is copied, 16 bytes a pass and then one at a time.
// Frame: the pointers at 0, r4-r8 and lr at 8, the two strides at 32.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global copy_rows
    .type   copy_rows, %function
copy_rows:
    push    {r4-r8, lr}
    sub     sp, sp, #8
    ldr     r4, [sp, #32]
    ldr     r5, [sp, #36]
    str     r0, [sp]
    str     r1, [sp, #4]
1:
    ldr     r6, [sp]
    ldr     r7, [sp, #4]
    add     r8, r6, r4
    add     lr, r7, r5
    str     r8, [sp]
    str     lr, [sp, #4]
    subs    r8, r3, #16
    blo     3f
2:
    vld1.8  {d0, d1}, [r6]!
    vst1.8  {d0, d1}, [r7]!
    subs    r8, r8, #16
    bhs     2b
3:
    adds    r8, r8, #16
    beq     5f
4:
    ldrb    lr, [r6], #1
    strb    lr, [r7], #1
    subs    r8, r8, #1
    bne     4b
5:
    subs    r2, r2, #1
    bne     1b
    add     sp, sp, #8
    pop     {r4-r8, pc}
    .size   copy_rows, . - copy_rows

    .section .note.GNU-stack,"",%progbits
