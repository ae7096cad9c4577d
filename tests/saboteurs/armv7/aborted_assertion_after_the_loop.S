// saboteur: aborted at line 39: the assertion is wrong, not the loop
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

// Nothing may be left when the loop ends, which is asserted; but it compares what was counted down once too often.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global aborted_assertion_after_the_loop
    .type   aborted_assertion_after_the_loop, %function
aborted_assertion_after_the_loop:
1:
    vld1.8  {d0}, [r0]!
    vld1.8  {d1}, [r1]!
    subs    r3, r3, #8
    vqadd.s8 d0, d0, d1
    vst1.8  {d0}, [r2]!
    bne     1b
    subs    r3, r3, #8
    bne     2f
    bx      lr
2:
    adr     r0, 3f
    adr     r1, 4f
    mov     r2, #31
    adr     r3, 4f
    b       __assert_fail
    .p2align 2
3:
    .asciz  "n == 0"
    .p2align 2
4:
    .asciz  "add"
    .p2align 2
    .size   aborted_assertion_after_the_loop, . - aborted_assertion_after_the_loop

    .section .note.GNU-stack,"",%progbits
