// saboteur: nondeterministic at line 25: the virtual count of the timer decides how it is rounded
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

// 16 elements a pass.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global nondeterministic_clock_in_the_result
    .type   nondeterministic_clock_in_the_result, %function
nondeterministic_clock_in_the_result:
    push    {r4, r5}
    mrrc    p15, 1, r4, r5, c14
    and     r4, r4, #1
    vdup.8  q2, r4
1:
    vld1.8  {d0, d1}, [r0]!
    vld1.8  {d2, d3}, [r1]!
    subs    r3, r3, #16
    vqadd.s8 q0, q0, q1
    vqadd.s8 q0, q0, q2
    vst1.8  {d0, d1}, [r2]!
    bne     1b
    pop     {r4, r5}
    bx      lr
    .size   nondeterministic_clock_in_the_result, . - nondeterministic_clock_in_the_result

    .section .note.GNU-stack,"",%progbits
