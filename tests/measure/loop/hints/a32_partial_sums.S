// Sums that go to memory and back for every product.
// core: cortex-a53

    .text
    .fpu neon
    .global bad
bad:
    push {r4-r7}
    mov r7, #4
    mov r6, r1
    vmov.i8 q8, #0
    vmov.i8 q9, #0
    mov r3, r2
    vst1.8 {d16-d19}, [r3]!
    vst1.8 {d16-d19}, [r3]
3:
    mov r3, r2
    mov r0, #4
1:
    vld1.8 {d4, d5}, [r3]  // <-
    vld1.8 {d2, d3}, [r6]!
    vadd.i8 q2, q2, q1
    vst1.8 {d4, d5}, [r3]!  // <-
    subs r0, r0, #1
    bne 1b
    subs r7, r7, #1
    bne 3b
    pop {r4-r7}
    bx lr

    .global mended
mended:
    push {r4-r7}
    mov r0, #4
    mov r6, #64
3:
    vmov.i8 q2, #0
    mov r3, r1
    mov r7, #4
1:
    vld1.8 {d2, d3}, [r3], r6
    vadd.i8 q2, q2, q1
    subs r7, r7, #1
    bne 1b
    vst1.8 {d4, d5}, [r2]!
    add r1, r1, #16
    subs r0, r0, #1
    bne 3b
    pop {r4-r7}
    bx lr
