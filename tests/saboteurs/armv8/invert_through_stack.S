/*toml
summary   = "out[i] = ~a[i], uint8"
prototype = "void (const uint8_t *a, uint8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 128
[args]
a   = { reg = "x0", read = "n" }
out = { reg = "x1", write = "n" }
n   = { reg = "x2", range = [16, 4096], step = 16 }
*/

// The frame has 128 bytes, of which 16 are used.

    .text
    .p2align 4
    .global invert_through_stack
    .type   invert_through_stack, %function
invert_through_stack:
    sub     sp, sp, #128
    mov     x9, sp
    add     x9, x9, #16
    mov     x10, x0
    mov     x11, x2
1:
    ldr     q0, [x10], #16
    mvn     v0.16b, v0.16b
    str     q0, [x9]
    ldr     q1, [x9]
    str     q1, [x1], #16
    subs    x11, x11, #16
    b.ne    1b
    add     sp, sp, #128
    ret
    .size   invert_through_stack, . - invert_through_stack

    .section .note.GNU-stack,"",%progbits
