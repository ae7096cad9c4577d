// A comparison with zero of what was just subtracted from.
// core: cortex-a53

    .text
    .global bad
bad:
    movi v16.4s, #0
    movi v17.4s, #0
1:
    ldr q1, [x1], #16
    add v16.16b, v16.16b, v1.16b
    sub x0, x0, #1  // <-
    cmp x0, #0  // <-
    b.ne 1b
    stp q16, q17, [x2]
    ret

    .global mended
mended:
    movi v16.4s, #0
    movi v17.4s, #0
1:
    ldr q1, [x1], #16
    add v16.16b, v16.16b, v1.16b
    subs x0, x0, #1
    b.ne 1b
    stp q16, q17, [x2]
    ret
