// A short loop that counts and branches as much as it works.
// core: cortex-a7

    .text
    .fpu neon
    .global bad
bad:
1:
    ldr r3, [r1], #4
    str r3, [r2], #4
    subs r0, r0, #1  // <-
    bne 1b  // <-
    bx lr

    .global mended
mended:
1:
    ldr r3, [r1], #4
    str r3, [r2], #4
    ldr r12, [r1], #4
    str r12, [r2], #4
    ldr r3, [r1], #4
    str r3, [r2], #4
    ldr r12, [r1], #4
    str r12, [r2], #4
    ldr r3, [r1], #4
    str r3, [r2], #4
    ldr r12, [r1], #4
    str r12, [r2], #4
    ldr r3, [r1], #4
    str r3, [r2], #4
    ldr r12, [r1], #4
    str r12, [r2], #4
    subs r0, r0, #8
    bne 1b
    bx lr
