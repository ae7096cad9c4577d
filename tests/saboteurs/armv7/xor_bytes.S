/*toml
summary   = "out[i] = a[i] ^ b[i], uint8"
prototype = "void (const uint8_t *a, const uint8_t *b, uint8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
stack     = 8
[args]
a   = { reg = "r0", read = "n" }
b   = { reg = "r1", read = "n" }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [0, 67108864] }
*/

// Nothing to do is told apart before anything is saved.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 2
    .global xor_bytes
    .type   xor_bytes, %function
xor_bytes:
    cmp     r3, #0
    bxeq    lr
    push    {r4, r5}
    mov     r12, r3
    subs    r12, r12, #16
    blo     2f
1:
    vld1.8  {d0, d1}, [r0]!
    vld1.8  {d2, d3}, [r1]!
    veor    q0, q0, q1
    vst1.8  {d0, d1}, [r2]!
    subs    r12, r12, #16
    bhs     1b
2:
    adds    r12, r12, #16
    beq     4f
3:
    ldrb    r4, [r0], #1
    ldrb    r5, [r1], #1
    eor     r4, r4, r5
    strb    r4, [r2], #1
    subs    r12, r12, #1
    bne     3b
4:
    pop     {r4, r5}
    bx      lr
    .size   xor_bytes, . - xor_bytes

    .section .note.GNU-stack,"",%progbits
