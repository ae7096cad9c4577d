// Pointers stepped by instructions of their own.
// core: cortex-a53

    .text
    .fpu neon
    .global bad
bad:
    mov r3, r2
    add r12, r1, #1024
1:
    vld1.8 {d2, d3}, [r1]
    vld1.8 {d4, d5}, [r12]
    add r1, r1, #16  // <-
    add r12, r12, #16  // <-
    veor q1, q1, q2
    vst1.8 {d2, d3}, [r3]
    add r3, r3, #16  // <-
    subs r0, r0, #1
    bne 1b
    bx lr

    .global mended
mended:
    mov r3, r2
    add r12, r1, #1024
1:
    vld1.8 {d2, d3}, [r1]!
    vld1.8 {d4, d5}, [r12]!
    veor q1, q1, q2
    vst1.8 {d2, d3}, [r3]!
    subs r0, r0, #1
    bne 1b
    bx lr
