/*toml
summary   = "dst[row] = src[row], rows of 8*halves bytes"
prototype = "void (const uint8_t *src, uint8_t *dst, size_t rows, size_t halves, size_t src_pitch, size_t dst_pitch)"
isa       = ["armv7-a", "neon"]
stack     = 24
[args]
src       = { reg = "r0", read = { rows = "rows", bytes = "8*halves", pitch = "src_pitch" }, over_read = 8 }
dst       = { reg = "r1", write = { rows = "rows", bytes = "8*halves", pitch = "dst_pitch" } }
rows      = { reg = "r2", range = [1, 64] }
halves    = { reg = "r3", range = [1, 16] }
src_pitch = { reg = "stack+0", range = [8, 512] }
dst_pitch = { reg = "stack+4", range = [8, 512] }
*/

// A row is 1 to 16 halves of a vector, always loaded two at a time: past the end of a row up to 8 bytes are read, and
// nothing comes of them.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global over_read_of_rows
    .type   over_read_of_rows, %function
over_read_of_rows:
    push    {r4-r8, lr}
    ldrd    r4, r5, [sp, #24]
1:
    mov     r6, r0
    mov     r7, r1
    mov     r8, r3
2:
    vld1.8  {d0, d1}, [r6]!
    subs    r8, r8, #2
    blo     3f
    vst1.8  {d0, d1}, [r7]!
    bne     2b
    b       4f
3:
    vst1.8  {d0}, [r7]!
4:
    add     r0, r0, r4
    add     r1, r1, r5
    subs    r2, r2, #1
    bne     1b
    pop     {r4-r8, pc}
    .size   over_read_of_rows, . - over_read_of_rows

    .section .note.GNU-stack,"",%progbits
