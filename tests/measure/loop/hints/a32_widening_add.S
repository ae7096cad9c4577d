// Values widened by an instruction of their own before they are added.
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
    vmovl.s8 q2, d2  // <-
    vmovl.u8 q3, d3  // <-
    vadd.i16 q8, q8, q2  // <-
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
    vaddw.s8 q8, q8, d2
    vsubw.u8 q9, q9, d3
    subs r0, r0, #1
    bne 1b
    vst1.8 {d16-d19}, [r2]
    bx lr
