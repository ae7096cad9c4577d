/*toml
summary   = "out = sum_i a[i], int8 -> int32"
prototype = "void (const int8_t *a, int32_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
out = { reg = "x1", write = "4" }
n   = { reg = "x2", range = [512, 8192], step = 512 }
*/

// 16 elements a pass, added in pairs to int16, whose pairs are added to int32.

    .text
    .p2align 4
    .global sum_s8_and_a_constant
    .type   sum_s8_and_a_constant, %function
sum_s8_and_a_constant:
    ldr     w9, zero
    movi    v2.4s, #0
1:
    ldr     q0, [x0], #16
    subs    x2, x2, #16
    saddlp  v1.8h, v0.16b
    sadalp  v2.4s, v1.8h
    b.ne    1b
    addv    s2, v2.4s
    fmov    w4, s2
    add     w4, w4, w9
    str     w4, [x1]
    ret
zero:
    .word   0
    .size   sum_s8_and_a_constant, . - sum_s8_and_a_constant

    .section .note.GNU-stack,"",%progbits
