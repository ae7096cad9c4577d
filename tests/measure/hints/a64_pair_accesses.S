// Neighbours in memory loaded one by one.
// core: cortex-a53

    .text
    .global bad
bad:
    movi v16.4s, #0
    movi v17.4s, #0
    movi v18.4s, #0
    movi v19.4s, #0
1:
    ldr d1, [x1]  // <-
    ldr d2, [x1, #8]  // <-
    ldr d3, [x1, #16]  // <-
    ldr d4, [x1, #24]  // <-
    add x1, x1, #32
    add v16.8b, v16.8b, v1.8b
    add v17.8b, v17.8b, v2.8b
    add v18.8b, v18.8b, v3.8b
    add v19.8b, v19.8b, v4.8b
    subs x0, x0, #1
    b.ne 1b
    stp q16, q17, [x2]
    stp q18, q19, [x2, #32]
    ret

    .global mended
mended:
    movi v16.4s, #0
    movi v17.4s, #0
    movi v18.4s, #0
    movi v19.4s, #0
1:
    ldp d1, d2, [x1]
    ldp d3, d4, [x1, #16]
    add x1, x1, #32
    add v16.8b, v16.8b, v1.8b
    add v17.8b, v17.8b, v2.8b
    add v18.8b, v18.8b, v3.8b
    add v19.8b, v19.8b, v4.8b
    subs x0, x0, #1
    b.ne 1b
    stp q16, q17, [x2]
    stp q18, q19, [x2, #32]
    ret
