// saboteur: clobbered-callee-saved at line 21: the thread pointer serves as scratch and is not put back
/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "n" }
n   = { reg = "x3", range = [16, 4096], step = 16 }
*/

// 16 elements a pass, the end of the output in a register that is free, or so it seems.

    .text
    .p2align 4
    .global clobbered_callee_saved_thread_pointer
    .type   clobbered_callee_saved_thread_pointer, %function
clobbered_callee_saved_thread_pointer:
    add     x9, x2, x3
    msr     tpidr_el0, x9
1:
    ld1     {v0.16b}, [x0], #16
    ld1     {v1.16b}, [x1], #16
    sqadd   v0.16b, v0.16b, v1.16b
    st1     {v0.16b}, [x2], #16
    cmp     x2, x9
    b.ne    1b
    ret
    .size   clobbered_callee_saved_thread_pointer, . - clobbered_callee_saved_thread_pointer

    .section .note.GNU-stack,"",%progbits
