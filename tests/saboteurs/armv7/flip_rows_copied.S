/*toml
summary   = "dst[i] = src[i] ^ 0x80, rows*n uint8, row by row through memcpy"
prototype = "void (uint8_t *dst, const uint8_t *src, size_t rows, size_t n)"
isa       = ["armv7-a", "neon"]
stack     = 36
[args]
dst  = { reg = "r0", write = "rows*n" }
src  = { reg = "r1", read = "rows*n" }
rows = { reg = "r2", range = [1, 16] }
n    = { reg = "r3", range = [16, 256], step = 16 }
*/

// What must outlive the call is in r4-r8 and in d8.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 2
    .global flip_rows_copied
    .type   flip_rows_copied, %function
flip_rows_copied:
    push    {r4-r7, r8, lr}
    vpush   {d8}
    mov     r4, r0
    mov     r5, r1
    mov     r6, r2
    mov     r7, r3
    vmov.i8 d8, #0x80
1:
    mov     r0, r4
    mov     r1, r5
    mov     r2, r7
    bl      memcpy
    mov     r8, r7
2:
    vld1.8  {d0}, [r4]
    veor    d0, d0, d8
    vst1.8  {d0}, [r4]!
    subs    r8, r8, #8
    bne     2b
    add     r5, r5, r7
    subs    r6, r6, #1
    bne     1b
    vpop    {d8}
    pop     {r4-r7, r8, pc}
    .size   flip_rows_copied, . - flip_rows_copied

    .section .note.GNU-stack,"",%progbits
