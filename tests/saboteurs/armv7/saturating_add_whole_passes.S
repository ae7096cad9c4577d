/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n" }
b   = { reg = "r1", read = "n" }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [8, 4096], step = 8 }
*/

// 8 elements a pass. It gives up on part of a pass, which the contract does not allow.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global saturating_add_whole_passes
    .type   saturating_add_whole_passes, %function
saturating_add_whole_passes:
    tst     r3, #7
    bne     2f
1:
    vld1.8  {d0}, [r0]!
    vld1.8  {d1}, [r1]!
    subs    r3, r3, #8
    vqadd.s8 d0, d0, d1
    vst1.8  {d0}, [r2]!
    bne     1b
    bx      lr
2:
    bl      abort
    .size   saturating_add_whole_passes, . - saturating_add_whole_passes

    .section .note.GNU-stack,"",%progbits
