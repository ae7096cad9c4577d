// saboteur: aborted at line 35: refuses lengths that the contract allows
/*toml
summary   = "out[i] = a[i] + b[i], saturated"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n" }
b   = { reg = "r1", read = "n" }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [8, 4096], step = 8 }
*/

// Left from a version that took 16 elements a pass: it gives up on half a pass, which the contract allows.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global aborted_half_a_pass
    .type   aborted_half_a_pass, %function
aborted_half_a_pass:
    tst     r3, #15
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
    .size   aborted_half_a_pass, . - aborted_half_a_pass

    .section .note.GNU-stack,"",%progbits
