/*toml
summary   = "out[i] = ~a[i], uint8"
prototype = "void (const uint8_t *a, uint8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
[args]
a   = { reg = "x0", read = "n" }
out = { reg = "x1", write = "n" }
n   = { reg = "x2", range = [16, 4096], step = 16 }
*/

// A loop up to an address.

    .text
    .p2align 4
    .global invert_to_the_end
    .type   invert_to_the_end, %function
invert_to_the_end:
    add     x4, x0, x2
1:
    ldr     q0, [x0], #16
    mvn     v0.16b, v0.16b
    str     q0, [x1], #16
    cmp     x0, x4
    b.lo    1b
    ret
    .size   invert_to_the_end, . - invert_to_the_end

    .section .note.GNU-stack,"",%progbits
