// Products that are added by instructions of their own.
// core: cortex-a53

    .text
    .global bad
bad:
    ldr q0, [x1]
    movi v16.4s, #0
    movi v17.4s, #0
1:
    ldr q1, [x1], #16
    mul v2.8h, v1.8h, v0.8h  // <-
    add v16.8h, v16.8h, v2.8h  // <-
    smull v3.8h, v1.8b, v0.8b  // <-
    sub v17.8h, v17.8h, v3.8h  // <-
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
    mla v16.8h, v1.8h, v0.8h
    smlsl v17.8h, v1.8b, v0.8b
    subs x0, x0, #1
    b.ne 1b
    stp q16, q17, [x2]
    ret
