// A sum that begins with a clear in every iteration.
// core: cortex-a72

    .text
    .global bad
bad:
    ldr q0, [x1]
    movi v16.4s, #0
    movi v17.4s, #0
1:
    ldr q1, [x1], #16
    movi v2.8h, #0  // <-
    smlal v2.8h, v1.8b, v0.8b
    smlal2 v2.8h, v1.16b, v0.16b
    sadalp v16.4s, v2.8h
    subs x0, x0, #1
    b.ne 1b
    stp q16, q17, [x2]
    ret

    .global mended
mended:
    ldr q0, [x1]
    movi v16.4s, #0
    movi v17.4s, #0
1:
    ldr q1, [x1], #16
    smull v2.8h, v1.8b, v0.8b
    smlal2 v2.8h, v1.16b, v0.16b
    sadalp v16.4s, v2.8h
    subs x0, x0, #1
    b.ne 1b
    stp q16, q17, [x2]
    ret
