/*toml
summary   = "out = sum of a modulo 256, uint8"
prototype = "void (const uint8_t *a, uint8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
modular   = ["add", "label:across"]
[args]
a   = { reg = "x0", read = "n" }
out = { reg = "x1", write = "1" }
n   = { reg = "x2", range = [16, 4096], step = 16 }
*/

// Sums are kept in 8 bits, and are meant to wrap: the contract says so, of add by name and of addv by the label.

    .text
    .p2align 4
    .global checksum
    .type   checksum, %function
checksum:
    movi    v1.16b, #0
1:
    ldr     q0, [x0], #16
    subs    x2, x2, #16
    add     v1.16b, v1.16b, v0.16b
    b.ne    1b
across:
    addv    b1, v1.16b
    str     b1, [x1]
    ret
    .size   checksum, . - checksum

    .section .note.GNU-stack,"",%progbits
