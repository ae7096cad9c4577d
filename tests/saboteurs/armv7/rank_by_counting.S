/*toml
summary   = "out[i] = how many a[j] are below a[i], uint8 -> uint16"
prototype = "void (const uint8_t *a, uint16_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n" }
out = { reg = "r1", write = "2*n" }
n   = { reg = "r2", range = [1, 1536] }
*/

// Every element is compared with every other, one at a time: some 5 n^2 instructions.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global rank_by_counting
    .type   rank_by_counting, %function
rank_by_counting:
    push    {r4, r5, r6, lr}
    mov     r3, #0
1:
    ldrb    r4, [r0, r3]
    mov     r5, #0
    mov     r6, #0
2:
    ldrb    r12, [r0, r6]
    add     r6, r6, #1
    cmp     r12, r4
    addlo   r5, r5, #1
    cmp     r6, r2
    bne     2b
    strh    r5, [r1], #2
    add     r3, r3, #1
    cmp     r3, r2
    bne     1b
    pop     {r4, r5, r6, pc}
    .size   rank_by_counting, . - rank_by_counting

    .section .note.GNU-stack,"",%progbits
