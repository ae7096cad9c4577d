// One pointer stepped by a register, each time waiting for the step before.
// core: cortex-a53

    .text
    .fpu neon
    .global bad
bad:
    vmov.i32 q8, #0
    vmov.i32 q9, #0
    mov r3, #24
1:
    vld1.8 {d2}, [r1], r3  // <-
    vld1.8 {d3}, [r1], r3  // <-
    vld1.8 {d4}, [r1], r3  // <-
    vld1.8 {d5}, [r1], r3  // <-
    vadd.i8 d16, d16, d2
    vadd.i8 d17, d17, d3
    vadd.i8 d16, d16, d4
    vadd.i8 d17, d17, d5
    subs r0, r0, #1
    bne 1b
    vst1.8 {d16-d19}, [r2]
    bx lr

    .global mended
mended:
    vmov.i32 q8, #0
    vmov.i32 q9, #0
    push {r4, lr}
    mov r3, #48
    add r4, r1, #24
1:
    vld1.8 {d2}, [r1], r3
    vld1.8 {d3}, [r4], r3
    vld1.8 {d4}, [r1], r3
    vld1.8 {d5}, [r4], r3
    vadd.i8 d16, d16, d2
    vadd.i8 d17, d17, d3
    vadd.i8 d16, d16, d4
    vadd.i8 d17, d17, d5
    subs r0, r0, #1
    bne 1b
    vst1.8 {d16-d19}, [r2]
    pop {r4, lr}
    bx lr
