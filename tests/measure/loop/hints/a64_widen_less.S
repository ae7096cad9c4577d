// Sums of two products widened, where four fit: the values are small.
// core: cortex-a53

    .text
    .global bad
bad:
    ldr q0, [x1]
    movi v16.4s, #0
    movi v17.4s, #0
1:
    ldp q1, q2, [x1], #32
    smull v3.8h, v1.8b, v0.8b
    smlal2 v3.8h, v1.16b, v0.16b
    sadalp v16.4s, v3.8h  // <-
    smull v3.8h, v2.8b, v0.8b
    smlal2 v3.8h, v2.16b, v0.16b
    sadalp v16.4s, v3.8h
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
    ldp q1, q2, [x1], #32
    smull v3.8h, v1.8b, v0.8b
    smlal2 v3.8h, v1.16b, v0.16b
    smlal v3.8h, v2.8b, v0.8b
    smlal2 v3.8h, v2.16b, v0.16b
    sadalp v16.4s, v3.8h
    subs x0, x0, #1
    b.ne 1b
    stp q16, q17, [x2]
    ret
