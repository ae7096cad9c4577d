// Two chains, one after the other.
// core: cortex-a55

    .text
    .global bad
bad:
    ldr q0, [x1]
    movi v16.4s, #0
    movi v17.4s, #0
1:
    ldr q1, [x1], #16
    ldr q2, [x1], #16
    mul v1.8h, v1.8h, v0.8h
    mul v1.8h, v1.8h, v0.8h  // <-
    mul v2.8h, v2.8h, v0.8h
    mul v2.8h, v2.8h, v0.8h  // <-
    add v16.8h, v16.8h, v1.8h
    add v17.8h, v17.8h, v2.8h  // <-
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
    ldr q2, [x1], #16
    subs x0, x0, #1
    mul v1.8h, v1.8h, v0.8h
    mul v2.8h, v2.8h, v0.8h
    mul v1.8h, v1.8h, v0.8h
    mul v2.8h, v2.8h, v0.8h
    add v16.8h, v16.8h, v1.8h
    add v17.8h, v17.8h, v2.8h
    b.ne 1b
    stp q16, q17, [x2]
    ret
