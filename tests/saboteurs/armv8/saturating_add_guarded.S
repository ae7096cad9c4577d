/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 48
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "n" }
n   = { reg = "x3", range = [8, 4096], step = 8 }
*/

// The frame holds 16 bytes of scratch below the guard.

    .text
    .p2align 4
    .global saturating_add_guarded
    .type   saturating_add_guarded, %function
saturating_add_guarded:
    stp     x29, x30, [sp, #-48]!
    mov     x29, sp
    adrp    x8, __stack_chk_guard
    ldr     x8, [x8, :lo12:__stack_chk_guard]
    str     x8, [sp, #32]
1:
    ldr     d0, [x0], #8
    ldr     d1, [x1], #8
    subs    x3, x3, #8
    str     d0, [sp, #16]
    str     d1, [sp, #24]
    sqadd   v0.8b, v0.8b, v1.8b
    str     d0, [x2], #8
    b.ne    1b
    ldr     x9, [sp, #32]
    cmp     x8, x9
    b.ne    2f
    ldp     x29, x30, [sp], #48
    ret
2:
    bl      __stack_chk_fail
    .size   saturating_add_guarded, . - saturating_add_guarded

    .section .note.GNU-stack,"",%progbits
