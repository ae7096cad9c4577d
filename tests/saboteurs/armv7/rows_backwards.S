/*toml
summary   = "dst[row] = src[row], rows of 16*blocks bytes, from below or from above"
prototype = "void (const uint8_t *src, uint8_t *dst, size_t rows, size_t blocks, ptrdiff_t src_pitch, ptrdiff_t dst_pitch)"
isa       = ["armv7-a", "neon"]
stack     = 24
[args]
src       = { reg = "r0", read = { rows = "rows", bytes = "16*blocks", pitch = "src_pitch" } }
dst       = { reg = "r1", write = { rows = "rows", bytes = "16*blocks", pitch = "dst_pitch" } }
rows      = { reg = "r2", range = [1, 64] }
blocks    = { reg = "r3", range = [1, 8] }
src_pitch = { reg = "stack+0", range = [-512, 512] }
dst_pitch = { reg = "stack+4", range = [-512, 512] }
*/

// A row is 1 to 8 blocks of 16 bytes. A negative pitch goes from the highest row down.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global rows_backwards
    .type   rows_backwards, %function
rows_backwards:
    push    {r4-r8, lr}
    ldrd    r4, r5, [sp, #24]
1:
    mov     r6, r0
    mov     r7, r1
    mov     r8, r3
2:
    vld1.8  {d0, d1}, [r6]!
    vst1.8  {d0, d1}, [r7]!
    subs    r8, r8, #1
    bne     2b
    add     r0, r0, r4
    add     r1, r1, r5
    subs    r2, r2, #1
    bne     1b
    pop     {r4-r8, pc}
    .size   rows_backwards, . - rows_backwards

    .section .note.GNU-stack,"",%progbits
