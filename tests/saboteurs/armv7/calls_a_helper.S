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

// A call within the file, with lr saved, along with r3, which goes back changed: it is the caller's to save.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global calls_a_helper
    .type   calls_a_helper, %function
calls_a_helper:
    push    {r3, lr}
1:
    bl      average_8
    subs    r3, r3, #8
    bne     1b
    pop     {r3, pc}

average_8:
    vld1.8  {d0}, [r0]!
    vld1.8  {d1}, [r1]!
    vrhadd.u8 d0, d0, d1
    vst1.8  {d0}, [r2]!
    bx      lr
    .size   calls_a_helper, . - calls_a_helper

    .section .note.GNU-stack,"",%progbits
