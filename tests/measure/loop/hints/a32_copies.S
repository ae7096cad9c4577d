// Copies of what stays as it is.
// core: cortex-a53

    .text
    .fpu neon
    .global bad
bad:
    vld1.8 {d0, d1}, [r1]
    vmov.i32 q8, #0
    vmov.i32 q9, #0
    vmov.i32 q10, #0
1:
    vld1.8 {d2, d3}, [r1]!
    vmov q2, q1  // <-
    vmov q3, q1  // <-
    vadd.i8 q8, q8, q2
    vadd.i8 q9, q9, q3
    veor q10, q10, q1
    subs r0, r0, #1
    bne 1b
    vst1.8 {d16-d19}, [r2]!
    vst1.8 {d20, d21}, [r2]
    bx lr

    .global mended
mended:
    vld1.8 {d0, d1}, [r1]
    vmov.i32 q8, #0
    vmov.i32 q9, #0
    vmov.i32 q10, #0
1:
    vld1.8 {d2, d3}, [r1]!
    vadd.i8 q8, q8, q1
    vadd.i8 q9, q9, q1
    veor q10, q10, q1
    subs r0, r0, #1
    bne 1b
    vst1.8 {d16-d19}, [r2]!
    vst1.8 {d20, d21}, [r2]
    bx lr
