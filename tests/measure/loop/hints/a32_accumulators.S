// One sum for everything.
// core: neoverse-n1

    .text
    .fpu neon
    .global bad
bad:
    vld1.8 {d0, d1}, [r1]
    vmov.i32 q8, #0
    vmov.i32 q9, #0
1:
    vld1.8 {d2, d3}, [r1]!
    vadd.i16 q8, q8, q1  // <-
    vadd.i16 q8, q8, q0  // <-
    vadd.i16 q8, q8, q1  // <-
    vadd.i16 q8, q8, q0  // <-
    subs r0, r0, #1
    bne 1b
    vst1.8 {d16-d19}, [r2]
    bx lr

    .global mended
mended:
    vld1.8 {d0, d1}, [r1]
    vmov.i32 q8, #0
    vmov.i32 q9, #0
    vmov.i32 q10, #0
    vmov.i32 q11, #0
1:
    vld1.8 {d2, d3}, [r1]!
    vadd.i16 q8, q8, q1
    vadd.i16 q9, q9, q0
    vadd.i16 q10, q10, q1
    vadd.i16 q11, q11, q0
    subs r0, r0, #1
    bne 1b
    vadd.i16 q8, q8, q9
    vadd.i16 q10, q10, q11
    vadd.i16 q8, q8, q10
    vmov.i32 q9, #0
    vst1.8 {d16-d19}, [r2]
    bx lr
