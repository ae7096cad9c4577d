// Products that are added by instructions of their own.
// core: cortex-a53

    .text
    .fpu neon
    .global bad
bad:
    vld1.8 {d0, d1}, [r1]
    vmov.i32 q8, #0
    vmov.i32 q9, #0
1:
    vld1.8 {d2, d3}, [r1]!
    vmul.i16 q2, q1, q0  // <-
    vadd.i16 q8, q8, q2  // <-
    vmull.s8 q3, d2, d0  // <-
    vsub.i16 q9, q9, q3  // <-
    subs r0, r0, #1
    bne 1b
    vst1.8 {d16-d19}, [r2]
    bx lr

    .global mended
mended:
    vld1.8 {d0, d1}, [r1]
    vmov.i32 q8, #0
    vmov.i32 q9, #0
1:
    vld1.8 {d2, d3}, [r1]!
    vmla.i16 q8, q1, q0
    vmlsl.s8 q9, d2, d0
    subs r0, r0, #1
    bne 1b
    vst1.8 {d16-d19}, [r2]
    bx lr
