/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
stack     = 12
[args]
a   = { reg = "r0", read = "n" }
b   = { reg = "r1", read = "n" }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [16, 4096] }
*/

// The last 16 elements are done as a whole, some for the second time: bytes may be stored twice, and the output be read
// back once it is written.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global overlapping_tail
    .type   overlapping_tail, %function
overlapping_tail:
    push    {r4-r6}
    sub     r12, r3, #16
    add     r4, r0, r12
    add     r5, r1, r12
    add     r6, r2, r12
1:
    vld1.8  {d0, d1}, [r0]!
    vld1.8  {d2, d3}, [r1]!
    subs    r12, r12, #16
    vqadd.s8 q0, q0, q1
    vst1.8  {d0, d1}, [r2]!
    bhs     1b
    vld1.8  {d0, d1}, [r4]
    vld1.8  {d2, d3}, [r5]
    vqadd.s8 q0, q0, q1
    vst1.8  {d0, d1}, [r6]
    ldrb    r12, [r6]
    strb    r12, [r6]
    pop     {r4-r6}
    bx      lr
    .size   overlapping_tail, . - overlapping_tail

    .section .note.GNU-stack,"",%progbits
