/*toml
summary   = "out = sum_i a[i] * b[i], int8 x int8 -> int32"
prototype = "void (const int8_t *a, const int8_t *b, int32_t *out, size_t n)"
isa       = ["armv8.2-a", "neon", "dotprod"]
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "4" }
n   = { reg = "x3", range = [16, 4096], step = 16 }
[counts]
macs = "n"
*/

// Four products a lane go into int32 directly: nothing in between can wrap.

    .arch   armv8.2-a+dotprod
    .text
    .p2align 4
    .global sdot
    .type   sdot, %function
sdot:
    movi    v2.4s, #0
1:
    ldr     q0, [x0], #16
    ldr     q1, [x1], #16
    subs    x3, x3, #16
    sdot    v2.4s, v0.16b, v1.16b
    b.ne    1b
    addv    s2, v2.4s
    str     s2, [x2]
    ret
    .size   sdot, . - sdot

    .section .note.GNU-stack,"",%progbits
