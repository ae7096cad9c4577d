/*toml
summary   = "out[i] = ~a[i], uint8, return address signed"
prototype = "void (const uint8_t *a, uint8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 16
[args]
a   = { reg = "x0", read = "n" }
out = { reg = "x1", write = "n" }
n   = { reg = "x2", range = [16, 4096], step = 16 }
*/

// The address is signed with the sp on entry, and authenticated with the same.

    .text
    .p2align 4
    .global invert_signed
    .type   invert_signed, %function
invert_signed:
    paciasp
    stp     x29, x30, [sp, #-16]!
    mov     x4, x2
1:
    bl      invert_16
    subs    x4, x4, #16
    b.ne    1b
    ldp     x29, x30, [sp], #16
    autiasp
    ret

invert_16:
    ldr     q0, [x0], #16
    mvn     v0.16b, v0.16b
    str     q0, [x1], #16
    ret
    .size   invert_signed, . - invert_signed

    .section .note.GNU-stack,"",%progbits
