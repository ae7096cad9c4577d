/*toml
summary   = "dst[i] = src[i], both on 16-byte boundaries"
prototype = "void (const uint8_t *src, uint8_t *dst, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
src = { reg = "r0", read = "n", align = 16 }
dst = { reg = "r1", write = "n", align = 16 }
n   = { reg = "r2", range = [16, 4096], step = 16 }
*/

// The hints say what the contract promises: an A-profile core may refuse an address that breaks one.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global copy_aligned_u8
    .type   copy_aligned_u8, %function
copy_aligned_u8:
1:
    vld1.8  {d0, d1}, [r0:128]!
    subs    r2, r2, #16
    vst1.8  {d0, d1}, [r1:128]!
    bne     1b
    bx      lr
    .size   copy_aligned_u8, . - copy_aligned_u8

    .section .note.GNU-stack,"",%progbits
