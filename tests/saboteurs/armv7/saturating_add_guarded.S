/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
stack     = 48
[args]
a   = { reg = "r0", read = "n" }
b   = { reg = "r1", read = "n" }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [8, 4096], step = 8 }
*/

// The frame holds 16 bytes of scratch below the guard.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global saturating_add_guarded
    .type   saturating_add_guarded, %function
saturating_add_guarded:
    push    {r4, lr}
    sub     sp, sp, #24
    movw    r4, #:lower16:__stack_chk_guard
    movt    r4, #:upper16:__stack_chk_guard
    ldr     r4, [r4]
    str     r4, [sp, #16]
    add     r12, sp, #8
    add     lr, sp, #0
1:
    vld1.8  {d0}, [r0]!
    vld1.8  {d1}, [r1]!
    subs    r3, r3, #8
    vst1.8  {d0}, [r12]
    vst1.8  {d1}, [lr]
    vqadd.s8 d0, d0, d1
    vst1.8  {d0}, [r2]!
    bne     1b
    ldr     r3, [sp, #16]
    cmp     r4, r3
    bne     2f
    add     sp, sp, #24
    pop     {r4, pc}
2:
    bl      __stack_chk_fail
    .size   saturating_add_guarded, . - saturating_add_guarded

    .section .note.GNU-stack,"",%progbits
