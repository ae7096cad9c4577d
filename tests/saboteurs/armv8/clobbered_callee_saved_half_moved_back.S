// saboteur: clobbered-callee-saved at line 28: d8 waits in a 32-bit register, which holds half of it
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

// 16 elements a pass.

    .text
    .p2align 4
    .global clobbered_callee_saved_half_moved_back
    .type   clobbered_callee_saved_half_moved_back, %function
clobbered_callee_saved_half_moved_back:
    fmov    w9, s8
1:
    ld1     {v8.16b}, [x0], #16
    ld1     {v1.16b}, [x1], #16
    subs    x3, x3, #16
    sqadd   v8.16b, v8.16b, v1.16b
    st1     {v8.16b}, [x2], #16
    b.ne    1b
    fmov    s8, w9
    ret
    .size   clobbered_callee_saved_half_moved_back, . - clobbered_callee_saved_half_moved_back

    .section .note.GNU-stack,"",%progbits
