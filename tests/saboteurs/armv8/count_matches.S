/*toml
summary   = "out = number of i with a[i] = b[i], uint8 -> uint32"
prototype = "void (const uint8_t *a, const uint8_t *b, uint32_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n", range = [0, 1] }
b   = { reg = "x1", read = "n", range = [0, 1] }
out = { reg = "x2", write = "4" }
n   = { reg = "x3", range = [16, 4080], step = 16 }
*/

// A comparison leaves -1 where bytes match; taken away, it counts one. 4080 bytes are 255 a lane, which a byte holds.

    .text
    .p2align 4
    .global count_matches
    .type   count_matches, %function
count_matches:
    movi    v2.16b, #0
1:
    ldr     q0, [x0], #16
    ldr     q1, [x1], #16
    subs    x3, x3, #16
    cmeq    v0.16b, v0.16b, v1.16b
    sub     v2.16b, v2.16b, v0.16b
    b.ne    1b
    uaddlp  v2.8h, v2.16b
    uaddlv  s2, v2.8h
    str     s2, [x2]
    ret
    .size   count_matches, . - count_matches

    .section .note.GNU-stack,"",%progbits
