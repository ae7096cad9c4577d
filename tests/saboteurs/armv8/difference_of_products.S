/*toml
summary   = "out = sum_i a[i] * b[i], the products of the second 8 of each 16 negative, int8 x int8 -> int32"
prototype = "void (const int8_t *a, const int8_t *b, int32_t *out, size_t n)"
isa       = ["armv8.0-a", "neon"]
[args]
a   = { reg = "x0", read = "n" }
b   = { reg = "x1", read = "n" }
out = { reg = "x2", write = "4" }
n   = { reg = "x3", range = [16, 4096], step = 16 }
*/

// All of int8 is allowed, -128 included: one product less another is at most 16384 + 16256 = 32640, which int16 holds.

    .text
    .p2align 4
    .global difference_of_products
    .type   difference_of_products, %function
difference_of_products:
    movi    v2.4s, #0
1:
    ldr     q0, [x0], #16
    ldr     q1, [x1], #16
    subs    x3, x3, #16
    smull   v4.8h, v0.8b, v1.8b
    smlsl2  v4.8h, v0.16b, v1.16b
    sadalp  v2.4s, v4.8h
    b.ne    1b
    addv    s2, v2.4s
    str     s2, [x2]
    ret
    .size   difference_of_products, . - difference_of_products

    .section .note.GNU-stack,"",%progbits
