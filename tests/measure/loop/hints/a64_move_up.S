// A product right before what needs it.
// core: cortex-a55

    .text
    .global bad
bad:
    movi v16.4s, #0
    movi v17.4s, #0
    ldr q0, [x1]
    movi v18.4s, #18
    movi v19.4s, #19
    movi v20.4s, #20
    movi v21.4s, #21
1:
    ldr q1, [x1], #16
    eor v18.16b, v18.16b, v0.16b
    eor v19.16b, v19.16b, v0.16b
    eor v20.16b, v20.16b, v0.16b
    eor v21.16b, v21.16b, v0.16b
    mul v2.8h, v1.8h, v0.8h  // <-
    eor v17.16b, v17.16b, v2.16b  // <-
    subs x0, x0, #1
    b.ne 1b
    stp q16, q17, [x2]
    stp q18, q19, [x2, #32]
    stp q20, q21, [x2, #64]
    ret

    .global mended
mended:
    movi v16.4s, #0
    movi v17.4s, #0
    ldr q0, [x1]
    movi v18.4s, #18
    movi v19.4s, #19
    movi v20.4s, #20
    movi v21.4s, #21
1:
    ldr q1, [x1], #16
    eor v18.16b, v18.16b, v0.16b
    mul v2.8h, v1.8h, v0.8h
    eor v19.16b, v19.16b, v0.16b
    eor v20.16b, v20.16b, v0.16b
    eor v21.16b, v21.16b, v0.16b
    eor v17.16b, v17.16b, v2.16b
    subs x0, x0, #1
    b.ne 1b
    stp q16, q17, [x2]
    stp q18, q19, [x2, #32]
    stp q20, q21, [x2, #64]
    ret
