// A lane copied over a register only to be multiplied by.
// core: cortex-a53

    .text
    .fpu neon
    .global bad
bad:
    vld1.8 {d0, d1}, [r1]
    vmov.i32 q8, #0
    vmov.i32 q9, #0
1:
    vld1.8 {d2}, [r1]!
    vdup.16 d4, d0[0]  // <-
    vdup.16 d5, d1[1]  // <-
    vmlal.s16 q8, d2, d4
    vmlal.s16 q9, d2, d5
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
    vld1.8 {d2}, [r1]!
    vmlal.s16 q8, d2, d0[0]
    vmlal.s16 q9, d2, d1[1]
    subs r0, r0, #1
    bne 1b
    vst1.8 {d16-d19}, [r2]
    bx lr
