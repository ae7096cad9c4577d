/*toml
summary   = "out[i] = a[i] + b[i], which fits, int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n", range = [-64, 63] }
b   = { reg = "r1", read = "n", range = [-64, 63] }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [1, 4096] }
*/

// One lane of 16 is loaded, added and stored. What the other 15 lose when they are added is nobody's loss.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global sum_in_one_lane
    .type   sum_in_one_lane, %function
sum_in_one_lane:
1:
    vld1.8  {d0[5]}, [r0]!
    vld1.8  {d2[5]}, [r1]!
    subs    r3, r3, #1
    vadd.i8 q0, q0, q1
    vst1.8  {d0[5]}, [r2]!
    bne     1b
    bx      lr
    .size   sum_in_one_lane, . - sum_in_one_lane

    .section .note.GNU-stack,"",%progbits
