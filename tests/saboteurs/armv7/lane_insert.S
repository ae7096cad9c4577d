/*toml
summary   = "out[i] = saturate(a[i] + b[i]), int8"
prototype = "void (const int8_t *a, const int8_t *b, int8_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n" }
b   = { reg = "r1", read = "n" }
out = { reg = "r2", write = "n" }
n   = { reg = "r3", range = [1, 4096] }
*/

// Each element goes into lane 0 of a register whose other lanes nobody set. All 16 lanes are added, one is stored:
// what is computed of garbage and thrown away is no fault.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global lane_insert
    .type   lane_insert, %function
lane_insert:
1:
    vld1.8  {d0[0]}, [r0]!
    vld1.8  {d2[0]}, [r1]!
    subs    r3, r3, #1
    vqadd.s8 q0, q0, q1
    vst1.8  {d0[0]}, [r2]!
    bne     1b
    bx      lr
    .size   lane_insert, . - lane_insert

    .section .note.GNU-stack,"",%progbits
