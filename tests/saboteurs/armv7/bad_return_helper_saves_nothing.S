// saboteur: bad-return at line 32: the helper that is called saves lr no more when it calls another
/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
stack     = 8
[args]
a   = { reg = "r0", read = "n" }
b   = { reg = "r1", read = "n" }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [16, 4096], step = 16 }
*/

// 16 elements a pass, in a function of their own, which has its loads in yet another.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global bad_return_helper_saves_nothing
    .type   bad_return_helper_saves_nothing, %function
bad_return_helper_saves_nothing:
    push    {r3, lr}
1:
    bl      2f
    subs    r3, r3, #16
    bne     1b
    pop     {r3, pc}
2:
    bl      3f
    vqadd.s8 q0, q0, q1
    vst1.8  {d0, d1}, [r2]!
    bx      lr
3:
    vld1.8  {d0, d1}, [r0]!
    vld1.8  {d2, d3}, [r1]!
    bx      lr
    .size   bad_return_helper_saves_nothing, . - bad_return_helper_saves_nothing

    .section .note.GNU-stack,"",%progbits
