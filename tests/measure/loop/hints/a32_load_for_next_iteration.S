// A load at the top of the loop for what follows at once.
// core: cortex-a55

    .text
    .fpu neon
    .global bad
bad:
    vld1.8 {d0, d1}, [r1]
    vmov.i32 q8, #0
    vmov.i32 q9, #0
    vmov.i32 q10, #10
    vmov.i32 q11, #11
    vmov.i32 q12, #12
    vmov.i32 q13, #13
1:
    vld1.8 {d2, d3}, [r1]!  // <-
    vadd.i8 q8, q8, q1  // <-
    veor q10, q10, q0
    veor q11, q11, q0
    veor q12, q12, q0
    veor q13, q13, q0
    subs r0, r0, #1
    bne 1b
    vst1.8 {d16-d19}, [r2]!
    vst1.8 {d20-d23}, [r2]!
    vst1.8 {d24-d27}, [r2]
    bx lr

    .global mended
mended:
    vld1.8 {d0, d1}, [r1]
    vmov.i32 q8, #0
    vmov.i32 q9, #0
    vmov.i32 q10, #10
    vmov.i32 q11, #11
    vmov.i32 q12, #12
    vmov.i32 q13, #13
    vld1.8 {d2, d3}, [r1]!
1:
    vadd.i8 q8, q8, q1
    vld1.8 {d2, d3}, [r1]!
    veor q10, q10, q0
    veor q11, q11, q0
    veor q12, q12, q0
    veor q13, q13, q0
    subs r0, r0, #1
    bne 1b
    vst1.8 {d16-d19}, [r2]!
    vst1.8 {d20-d23}, [r2]!
    vst1.8 {d24-d27}, [r2]
    bx lr
