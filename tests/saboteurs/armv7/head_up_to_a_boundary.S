/*toml
summary   = "out[i] = (a[i] + b[i] + 1) / 2, uint8"
prototype = "void (const uint8_t *a, const uint8_t *b, uint8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
stack     = 8
[args]
a   = { reg = "r0", read = "n" }
b   = { reg = "r1", read = "n" }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [8, 4096], step = 8 }
*/

// Elements one at a time up to a boundary of the output, then 8 a pass, then the last one at a time: which element is
// averaged where depends on the address, what comes out does not. The hint is kept by the head.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global head_up_to_a_boundary
    .type   head_up_to_a_boundary, %function
head_up_to_a_boundary:
    push    {r4, lr}
1:
    tst     r2, #7
    beq     2f
    ldrb    r4, [r0], #1
    ldrb    r12, [r1], #1
    add     r4, r4, r12
    add     r4, r4, #1
    lsr     r4, r4, #1
    strb    r4, [r2], #1
    subs    r3, r3, #1
    bne     1b
    pop     {r4, pc}
2:
    subs    r3, r3, #8
    blo     4f
3:
    vld1.8  {d0}, [r0]!
    vld1.8  {d1}, [r1]!
    vrhadd.u8 d0, d0, d1
    vst1.8  {d0}, [r2:64]!
    subs    r3, r3, #8
    bhs     3b
4:
    adds    r3, r3, #8
    beq     6f
5:
    ldrb    r4, [r0], #1
    ldrb    r12, [r1], #1
    add     r4, r4, r12
    add     r4, r4, #1
    lsr     r4, r4, #1
    strb    r4, [r2], #1
    subs    r3, r3, #1
    bne     5b
6:
    pop     {r4, pc}
    .size   head_up_to_a_boundary, . - head_up_to_a_boundary

    .section .note.GNU-stack,"",%progbits
