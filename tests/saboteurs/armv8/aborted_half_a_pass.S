// saboteur: aborted at line 31: refuses lengths that the contract allows
/*toml
summary   = "out[i] = a[i] + b[i], saturated"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "n" }
n   = { reg = "x3", range = [8, 4096], step = 8 }
*/

// Left from a version that took 16 elements a pass: it gives up on half a pass, which the contract allows.

    .text
    .p2align 4
    .global aborted_half_a_pass
    .type   aborted_half_a_pass, %function
aborted_half_a_pass:
    tst     x3, #15
    b.ne    2f
1:
    ldr     d0, [x0], #8
    ldr     d1, [x1], #8
    subs    x3, x3, #8
    sqadd   v0.8b, v0.8b, v1.8b
    str     d0, [x2], #8
    b.ne    1b
    ret
2:
    bl      abort
    .size   aborted_half_a_pass, . - aborted_half_a_pass

    .section .note.GNU-stack,"",%progbits
