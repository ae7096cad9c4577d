// A byte loaded to a general register and copied to all lanes.
// core: cortex-a53

    .text
    .fpu neon
    .global bad
bad:
    vld1.8 {d0, d1}, [r1]
    vmov.i32 q8, #0
    vmov.i32 q9, #0
1:
    ldrb r3, [r1], #1  // <-
    vdup.8 d2, r3  // <-
    vmlal.s8 q8, d2, d0
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
    vld1.8 {d2[]}, [r1]!
    vmlal.s8 q8, d2, d0
    subs r0, r0, #1
    bne 1b
    vst1.8 {d16-d19}, [r2]
    bx lr
