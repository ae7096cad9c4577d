/*toml
summary   = "out[i] = ~a[i], uint8"
prototype = "void (const uint8_t *a, uint8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
stack     = 64
[args]
a   = { reg = "r0", read = "n" }
out = { reg = "r1", write = "n" }
n   = { reg = "r2", range = [16, 4096], step = 16 }
*/

// The frame has 64 bytes, of which 16 are used.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 2
    .global invert_through_stack
    .type   invert_through_stack, %function
invert_through_stack:
    sub     sp, sp, #64
    add     r12, sp, #16
    mov     r3, r2
1:
    vld1.8  {d0, d1}, [r0]!
    vmvn    q0, q0
    vst1.8  {d0, d1}, [r12]
    vld1.8  {d2, d3}, [r12]
    vst1.8  {d2, d3}, [r1]!
    subs    r3, r3, #16
    bne     1b
2:
    add     sp, sp, #64
    bx      lr
    .size   invert_through_stack, . - invert_through_stack

    .section .note.GNU-stack,"",%progbits
