/*toml
summary   = "c[i] = a[i] + b[i], saturated to [-128, 127]"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *c, size_t count)"
isa       = ["armv8.0-a", "neon"]
[args]
a     = { reg = "x0", read = "count" }
b     = { reg = "x1", read = "count" }
c     = { reg = "x2", write = "count" }
count = { reg = "x3", range = [1, 1048576] }
*/

// The loops:
//
//     for each 16 elements
//         c[16] = a[16] + b[16]
//     for each of the last 0-15
//         c[1] = a[1] + b[1]
//
// Cost of the first loop: 6 instructions, 32 bytes loaded and 16 stored for 16 elements.

    .arch armv8-a

a       .req x0
b       .req x1
c       .req x2
count   .req x3

    .text
    .balign 16
    .global add_s8_saturated
    .type add_s8_saturated, %function
add_s8_saturated:
    subs    count, count, #16
    b.lo    2f
1:                                  // 16 elements
    ldr     q0, [a], #16
    ldr     q1, [b], #16
    sqadd   v0.16b, v0.16b, v1.16b
    str     q0, [c], #16
    subs    count, count, #16
    b.hs    1b
2:
    adds    count, count, #16
    b.eq    4f
3:                                  // 1 element
    ldr     b0, [a], #1
    ldr     b1, [b], #1
    sqadd   b0, b0, b1
    str     b0, [c], #1
    subs    count, count, #1
    b.ne    3b
4:
    ret
    .size add_s8_saturated, . - add_s8_saturated
