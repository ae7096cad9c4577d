/*toml
summary   = "dst[i] = src[i]"
prototype = "void (const int8_t *src, int8_t *dst, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
src = { reg = "r0", read = "n" }
dst = { reg = "r1", write = "n" }
n   = { reg = "r2", range = [0, 4096] }
*/

// The hints are kept, because both pointers were looked at.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 2
    .global copy_where_aligned
    .type   copy_where_aligned, %function
copy_where_aligned:
    orr     r3, r0, r1
    tst     r3, #15
    bne     2f
1:
    subs    r2, r2, #16
    blo     3f
    vld1.8  {d0, d1}, [r0:128]!
    vst1.8  {d0, d1}, [r1:128]!
    b       1b
3:
    add     r2, r2, #16
2:
    subs    r2, r2, #1
    bxlo    lr
    ldrb    r3, [r0], #1
    strb    r3, [r1], #1
    b       2b
    .size   copy_where_aligned, . - copy_where_aligned

    .section .note.GNU-stack,"",%progbits
