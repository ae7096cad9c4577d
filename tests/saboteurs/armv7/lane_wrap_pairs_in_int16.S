// saboteur: lane-wrap at line 27: pairs are added up in int16 for all of the array
/*toml
summary   = "out = sum_i a[i], int8 -> int32"
prototype = "void (const int8_t *a, int32_t *out, size_t n)"
isa       = ["armv7-a", "neon"]
[args]
a   = { reg = "r0", read = "n" }
out = { reg = "r1", write = "4" }
n   = { reg = "r2", range = [512, 8192], step = 512 }
*/

// 16 elements a pass, added in pairs to int16, whose pairs are added to int32.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global lane_wrap_pairs_in_int16
    .type   lane_wrap_pairs_in_int16, %function
lane_wrap_pairs_in_int16:
    vmov.i32 q2, #0
1:
    vld1.8  {d0, d1}, [r0]!
    subs    r2, r2, #16
    vpadal.s8 q2, q0
    bne     1b
    vpaddl.s16 q2, q2
    vadd.i32 d4, d4, d5
    vpadd.i32 d4, d4, d4
    vst1.32 {d4[0]}, [r1]
    bx      lr
    .size   lane_wrap_pairs_in_int16, . - lane_wrap_pairs_in_int16

    .section .note.GNU-stack,"",%progbits
