/*toml
summary   = "out[i] = (a[i] + b[i] + 1) / 2, uint8"
prototype = "void (const uint8_t *a, const uint8_t *b, uint8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "n" }
n   = { reg = "x3", range = [8, 4096], step = 8 }
*/

// Callee-saved registers are kept in caller-saved ones, not on the stack, and come back by another way.

    .text
    .p2align 4
    .global kept_in_registers
    .type   kept_in_registers, %function
kept_in_registers:
    mov     x9, x19
    mov     x10, x29
    mov     x11, x30
    fmov    x12, d8
    mov     v20.16b, v9.16b
    mov     x19, x0
    mov     x29, x1
    mov     x30, x2
1:
    ldr     d8, [x19], #8
    ldr     d9, [x29], #8
    subs    x3, x3, #8
    urhadd  v8.8b, v8.8b, v9.8b
    str     d8, [x30], #8
    b.ne    1b
    fmov    d8, x12
    fmov    d9, d20
    mov     x30, x11
    mov     x29, x10
    mov     x19, x9
    ret
    .size   kept_in_registers, . - kept_in_registers

    .section .note.GNU-stack,"",%progbits
