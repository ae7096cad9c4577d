// saboteur: clobbered-callee-saved at line 25: the thread pointer serves as scratch and is not put back
/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n" }
b   = { reg = "r1", read = "n" }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [16, 4096], step = 16 }
*/

// 16 elements a pass, the end of the output in a register that is free, or so it seems.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global clobbered_callee_saved_thread_pointer
    .type   clobbered_callee_saved_thread_pointer, %function
clobbered_callee_saved_thread_pointer:
    add     r12, r2, r3
    mcr     p15, 0, r12, c13, c0, 2
1:
    vld1.8  {d0, d1}, [r0]!
    vld1.8  {d2, d3}, [r1]!
    vqadd.s8 q0, q0, q1
    vst1.8  {d0, d1}, [r2]!
    cmp     r2, r12
    bne     1b
    bx      lr
    .size   clobbered_callee_saved_thread_pointer, . - clobbered_callee_saved_thread_pointer

    .section .note.GNU-stack,"",%progbits
