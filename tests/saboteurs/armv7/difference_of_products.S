/*toml
summary   = "out = sum_i a[i] * b[i], the products of the second 8 of each 16 negative, int8 x int8 -> int32"
prototype = "void (const int8_t *a, const int8_t *b, int32_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n" }
b   = { reg = "r1", read = "n" }
out = { reg = "r2", write = "4" }
n   = { reg = "r3", range = [16, 4096], step = 16 }
*/

// All of int8 is allowed, -128 included: one product less another is at most 16384 + 16256 = 32640, which int16 holds.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global difference_of_products
    .type   difference_of_products, %function
difference_of_products:
    vmov.i32 q8, #0
1:
    vld1.8  {d0, d1}, [r0]!
    vld1.8  {d2, d3}, [r1]!
    subs    r3, r3, #16
    vmull.s8 q9, d0, d2
    vmlsl.s8 q9, d1, d3
    vpadal.s16 q8, q9
    bne     1b
    vadd.i32 d16, d16, d17
    vpadd.i32 d16, d16, d16
    vst1.32 {d16[0]}, [r2]
    bx      lr
    .size   difference_of_products, . - difference_of_products

    .section .note.GNU-stack,"",%progbits
