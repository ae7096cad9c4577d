// Two chains, one after the other.
// core: cortex-a55

    .text
    .fpu neon
    .global bad
bad:
    vld1.8 {d0, d1}, [r1]
    vmov.i32 q8, #0
    vmov.i32 q9, #0
1:
    vld1.8 {d2-d5}, [r1]!
    vmul.i16 q1, q1, q0  // <-
    vmul.i16 q1, q1, q0  // <-
    vmul.i16 q2, q2, q0
    vmul.i16 q2, q2, q0  // <-
    vadd.i16 q8, q8, q1
    vadd.i16 q9, q9, q2  // <-
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
    vld1.8 {d2-d5}, [r1]!
    subs r0, r0, #1
    vmul.i16 q1, q1, q0
    vmul.i16 q2, q2, q0
    vmul.i16 q1, q1, q0
    vmul.i16 q2, q2, q0
    vadd.i16 q8, q8, q1
    vadd.i16 q9, q9, q2
    bne 1b
    vst1.8 {d16-d19}, [r2]
    bx lr
