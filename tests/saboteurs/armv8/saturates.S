/*toml
summary   = "out[i] = a chain of saturating steps of a[i] and b[i], int16 -> int8"
prototype = "void (const int16_t *a, const int16_t *b, int8_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "2*n" }
b   = { reg = "x1", read = "2*n" }
out = { reg = "x2", write = "n" }
n   = { reg = "x3", range = [8, 4096], step = 8 }
*/

// Every step meets its limits, -32768 * -32768 and -(-32768) among them, and saturates by design: no lane wraps.

    .text
    .p2align 4
    .global saturates
    .type   saturates, %function
saturates:
1:
    ldr     q0, [x0], #16
    ldr     q1, [x1], #16
    subs    x3, x3, #8
    sqadd   v2.8h, v0.8h, v1.8h
    sqrdmulh v3.8h, v0.8h, v1.8h
    sqneg   v2.8h, v2.8h
    sqabs   v3.8h, v3.8h
    sqsub   v2.8h, v2.8h, v3.8h
    sqdmull v4.4s, v0.4h, v1.4h
    sqdmull2 v5.4s, v0.8h, v1.8h
    sqdmlal v4.4s, v2.4h, v1.4h
    sqxtn   v4.4h, v4.4s
    sqxtn2  v4.8h, v5.4s
    sqshl   v4.8h, v4.8h, #3
    sqadd   v2.8h, v2.8h, v4.8h
    sqrshrun v5.8b, v2.8h, #4
    sqshrn  v2.8b, v2.8h, #2
    uqadd   v2.8b, v2.8b, v5.8b
    str     d2, [x2], #8
    b.ne    1b
    ret
    .size   saturates, . - saturates

    .section .note.GNU-stack,"",%progbits
