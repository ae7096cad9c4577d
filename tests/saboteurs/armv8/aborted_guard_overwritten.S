// saboteur: aborted at line 41: scratch is stored over the guard of its own frame
/*toml
summary   = "out[i] = a[i] + b[i], saturated"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 48
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "n" }
n   = { reg = "x3", range = [8, 4096], step = 8 }
*/

// The frame holds 16 bytes of scratch below the guard; the second store of scratch lands on the guard.

    .text
    .p2align 4
    .global aborted_guard_overwritten
    .type   aborted_guard_overwritten, %function
aborted_guard_overwritten:
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
    str     d1, [sp, #32]
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
    .size   aborted_guard_overwritten, . - aborted_guard_overwritten

    .section .note.GNU-stack,"",%progbits
