// The same line prefetched again and again.
// core: cortex-a53

    .text
    .fpu neon
    .global bad
bad:
    vmov.i32 q8, #0
    vmov.i32 q9, #0
1:
    pld [r2]  // <-
    pld [r2, #16]  // <-
    vld1.8 {d2-d5}, [r1]!
    vadd.i8 q8, q8, q1
    vadd.i8 q9, q9, q2
    subs r0, r0, #1
    bne 1b
    vst1.8 {d16-d19}, [r2]
    bx lr

    .global mended
mended:
    vmov.i32 q8, #0
    vmov.i32 q9, #0
1:
    vld1.8 {d2-d5}, [r1]!
    vadd.i8 q8, q8, q1
    vadd.i8 q9, q9, q2
    subs r0, r0, #1
    bne 1b
    vst1.8 {d16-d19}, [r2]
    bx lr
