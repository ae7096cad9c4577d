/*toml
summary   = "out[r] = sum_i rows[r][i] * x[i] for 4 rows, int8 x int8 -> int32"
prototype = "void (const int8_t *rows, const int8_t *x, int32_t *out, size_t k)"
isa       = ["armv7-a", "neon"]
stack     = 48
[args]
rows = { reg = "r0", read = "4*k", range = [-127, 127] }
x    = { reg = "r1", read = "k", range = [-128, 127] }
out  = { reg = "r2", write = "16" }
k    = { reg = "r3", range = [16, 4096], step = 16 }
[counts]
macs = "4*k"
*/

// Sums of the 4 rows in q8-q11, two products added in int16 in q12-q15, the rows' values in q1, q2, q4, q5: q4 and q5
// are the caller's, saved and restored as are r4-r6.

    .syntax unified
    .arch   armv7-a
    .fpu    neon
    .arm
    .text
    .p2align 4
    .global gemv4_s8
    .type   gemv4_s8, %function
gemv4_s8:
    push    {r4-r6, lr}
    vpush   {d8-d11}
    add     r4, r0, r3
    add     r5, r4, r3
    add     r6, r5, r3
    vmov.i32 q8, #0
    vmov.i32 q9, #0
    vmov.i32 q10, #0
    vmov.i32 q11, #0
1:
    vld1.8  {d0, d1}, [r1]!
    vld1.8  {d2, d3}, [r0]!
    vld1.8  {d4, d5}, [r4]!
    vld1.8  {d8, d9}, [r5]!
    vld1.8  {d10, d11}, [r6]!
    subs    r3, r3, #16
    vmull.s8 q12, d0, d2
    vmull.s8 q13, d0, d4
    vmull.s8 q14, d0, d8
    vmull.s8 q15, d0, d10
    vmlal.s8 q12, d1, d3
    vmlal.s8 q13, d1, d5
    vmlal.s8 q14, d1, d9
    vmlal.s8 q15, d1, d11
    vpadal.s16 q8, q12
    vpadal.s16 q9, q13
    vpadal.s16 q10, q14
    vpadal.s16 q11, q15
    bne     1b
    vpadd.i32 d16, d16, d17
    vpadd.i32 d17, d18, d19
    vpadd.i32 d18, d20, d21
    vpadd.i32 d19, d22, d23
    vpadd.i32 d16, d16, d17
    vpadd.i32 d17, d18, d19
    vst1.32 {d16, d17}, [r2]
    vpop    {d8-d11}
    pop     {r4-r6, pc}
    .size   gemv4_s8, . - gemv4_s8

    .section .note.GNU-stack,"",%progbits
