// Sums of two products widened, where four fit: the values are small.
// core: cortex-a53

    .text
    .fpu neon
    .global bad
bad:
    vld1.8 {d0, d1}, [r1]
    vmov.i32 q8, #0
    vmov.i32 q9, #0
1:
    vld1.8 {d2-d5}, [r1]!
    vmull.s8 q3, d2, d0
    vmlal.s8 q3, d3, d1
    vpadal.s16 q8, q3  // <-
    vmull.s8 q3, d4, d0
    vmlal.s8 q3, d5, d1
    vpadal.s16 q8, q3
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
    vmull.s8 q3, d2, d0
    vmlal.s8 q3, d3, d1
    vmlal.s8 q3, d4, d0
    vmlal.s8 q3, d5, d1
    vpadal.s16 q8, q3
    subs r0, r0, #1
    bne 1b
    vst1.8 {d16-d19}, [r2]
    bx lr
