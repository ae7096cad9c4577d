// A comparison with zero of what was just subtracted from.
// core: cortex-a53

    .text
    .fpu neon
    .global bad
bad:
    vmov.i32 q8, #0
    vmov.i32 q9, #0
1:
    vld1.8 {d2, d3}, [r1]!
    vadd.i8 q8, q8, q1
    sub r0, r0, #1  // <-
    cmp r0, #0  // <-
    bne 1b
    vst1.8 {d16-d19}, [r2]
    bx lr

    .global mended
mended:
    vmov.i32 q8, #0
    vmov.i32 q9, #0
1:
    vld1.8 {d2, d3}, [r1]!
    vadd.i8 q8, q8, q1
    subs r0, r0, #1
    bne 1b
    vst1.8 {d16-d19}, [r2]
    bx lr
