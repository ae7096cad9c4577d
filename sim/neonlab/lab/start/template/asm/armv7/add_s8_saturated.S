/*toml
summary   = "c[i] = a[i] + b[i], saturated to [-128, 127]"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *c, size_t count)"
isa       = ["armv7-a", "neon"]
[args]
a     = { reg = "r0", read = "count" }
b     = { reg = "r1", read = "count" }
c     = { reg = "r2", write = "count" }
count = { reg = "r3", range = [1, 1048576] }
*/

// The loops:
//
//     for each 16 elements
//         c[16] = a[16] + b[16]
//     for each of the last 0-15
//         c[1] = a[1] + b[1]
//
// Cost of the first loop: 6 instructions, 32 bytes loaded and 16 stored for 16 elements.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm

left    .req r0
right   .req r1
out     .req r2
count   .req r3

    .text
    .balign 16
    .global add_s8_saturated
    .type add_s8_saturated, %function
add_s8_saturated:
    subs    count, count, #16
    blo     2f
1:                                  // 16 elements
    vld1.8  {q0}, [left]!
    vld1.8  {q1}, [right]!
    vqadd.s8 q0, q0, q1
    vst1.8  {q0}, [out]!
    subs    count, count, #16
    bhs     1b
2:
    adds    count, count, #16
    beq     4f
3:                                  // 1 element, in every lane: no lane is left as the caller had it
    vld1.8  {d0[]}, [left]!
    vld1.8  {d1[]}, [right]!
    vqadd.s8 d0, d0, d1
    vst1.8  {d0[0]}, [out]!
    subs    count, count, #1
    bne     3b
4:
    bx      lr
    .size add_s8_saturated, . - add_s8_saturated
