// The same line prefetched again and again.
// core: cortex-a53

    .text
    .global bad
bad:
    movi v16.4s, #0
    movi v17.4s, #0
1:
    prfm pldl1keep, [x2]  // <-
    prfm pldl1keep, [x2, #16]  // <-
    ldp q1, q2, [x1], #32
    add v16.16b, v16.16b, v1.16b
    add v17.16b, v17.16b, v2.16b
    subs x0, x0, #1
    b.ne 1b
    stp q16, q17, [x2]
    ret

    .global mended
mended:
    movi v16.4s, #0
    movi v17.4s, #0
1:
    ldp q1, q2, [x1], #32
    add v16.16b, v16.16b, v1.16b
    add v17.16b, v17.16b, v2.16b
    subs x0, x0, #1
    b.ne 1b
    stp q16, q17, [x2]
    ret
