/*toml
summary   = "output[i] = input[i] ^ 0x80, uint8, in place"
prototype = "void (const uint8_t *input, uint8_t *output, size_t n)"
isa       = ["armv8.0-a", "neon"]
stack     = 0
alias     = ["output", "input"]
[args]
input  = { reg = "x0", read = "n" }
output = { reg = "x1", write = "n" }
n      = { reg = "x2", range = [16, 4096] }
*/

// Every byte is read before it is written.

    .text
    .p2align 4
    .global flip_in_place
    .type   flip_in_place, %function
flip_in_place:
    movi    v1.16b, #0x80
1:
    ldr     q0, [x0], #16
    subs    x2, x2, #16
    eor     v0.16b, v0.16b, v1.16b
    str     q0, [x1], #16
    b.eq    3f
    cmp     x2, #16
    b.hs    1b
2:
    ldr     b0, [x0], #1
    eor     v0.8b, v0.8b, v1.8b
    str     b0, [x1], #1
    subs    x2, x2, #1
    b.ne    2b
3:
    ret
    .size   flip_in_place, . - flip_in_place

    .section .note.GNU-stack,"",%progbits
