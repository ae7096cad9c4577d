// A byte loaded to a general register and copied to all lanes.
// core: cortex-a53

    .text
    .global bad
bad:
    ldr q0, [x1]
    movi v16.4s, #0
    movi v17.4s, #0
1:
    ldrb w3, [x1], #1  // <-
    dup v1.8b, w3  // <-
    smlal v16.8h, v1.8b, v0.8b
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
    ld1r {v1.8b}, [x1], #1
    smlal v16.8h, v1.8b, v0.8b
    subs x0, x0, #1
    b.ne 1b
    stp q16, q17, [x2]
    ret
