/*toml
summary   = "output[i] = input[i] ^ 0x80, uint8, in place"
prototype = "void (const uint8_t *input, uint8_t *output, size_t n)"
isa       = ["armv7-a", "neon"]
stack     = 0
alias     = ["output", "input"]
[args]
input  = { reg = "r0", read = "n" }
output = { reg = "r1", write = "n" }
n      = { reg = "r2", range = [16, 4096] }
*/

// Every byte is read before it is written.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 2
    .global flip_in_place
    .type   flip_in_place, %function
flip_in_place:
    vmov.i8 q1, #0x80
1:
    vld1.8  {d0, d1}, [r0]!
    subs    r2, r2, #16
    veor    q0, q0, q1
    vst1.8  {d0, d1}, [r1]!
    bxeq    lr
    cmp     r2, #16
    bhs     1b
2:
    vld1.8  {d0[0]}, [r0]!
    veor    d0, d0, d2
    vst1.8  {d0[0]}, [r1]!
    subs    r2, r2, #1
    bne     2b
    bx      lr
    .size   flip_in_place, . - flip_in_place

    .section .note.GNU-stack,"",%progbits
