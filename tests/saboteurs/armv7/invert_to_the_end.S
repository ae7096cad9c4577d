/*toml
summary   = "out[i] = ~a[i], uint8"
prototype = "void (const uint8_t *a, uint8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
stack     = 0
[args]
a   = { reg = "r0", read = "n" }
out = { reg = "r1", write = "n" }
n   = { reg = "r2", range = [16, 4096], step = 16 }
*/

// A loop up to an address.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 2
    .global invert_to_the_end
    .type   invert_to_the_end, %function
invert_to_the_end:
    add     r3, r0, r2
1:
    vld1.8  {d0, d1}, [r0]!
    vmvn    q0, q0
    vst1.8  {d0, d1}, [r1]!
    cmp     r0, r3
    blo     1b
    bx      lr
    .size   invert_to_the_end, . - invert_to_the_end

    .section .note.GNU-stack,"",%progbits
