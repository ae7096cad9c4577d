// One sum for everything.
// core: neoverse-n1

    .text
    .global bad
bad:
    ldr q0, [x1]
    movi v16.4s, #0
    movi v17.4s, #0
1:
    ldr q1, [x1], #16
    add v16.8h, v16.8h, v1.8h  // <-
    add v16.8h, v16.8h, v0.8h  // <-
    add v16.8h, v16.8h, v1.8h  // <-
    add v16.8h, v16.8h, v0.8h  // <-
    subs x0, x0, #1
    b.ne 1b
    stp q16, q17, [x2]
    ret

    .global mended
mended:
    ldr q0, [x1]
    movi v16.4s, #0
    movi v17.4s, #0
    movi v18.4s, #0
    movi v19.4s, #0
1:
    ldr q1, [x1], #16
    add v16.8h, v16.8h, v1.8h
    add v17.8h, v17.8h, v0.8h
    add v18.8h, v18.8h, v1.8h
    add v19.8h, v19.8h, v0.8h
    subs x0, x0, #1
    b.ne 1b
    add v16.8h, v16.8h, v17.8h
    add v18.8h, v18.8h, v19.8h
    add v16.8h, v16.8h, v18.8h
    movi v17.4s, #0
    stp q16, q17, [x2]
    ret
