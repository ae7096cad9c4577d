// A lane copied over a register only to be multiplied by.
// core: cortex-a53

    .text
    .global bad
bad:
    ldr q0, [x1]
    movi v16.4s, #0
    movi v17.4s, #0
1:
    ldr d1, [x1], #8
    dup v2.4h, v0.h[0]  // <-
    dup v3.4h, v0.h[5]  // <-
    smlal v16.4s, v1.4h, v2.4h
    smlal v17.4s, v1.4h, v3.4h
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
    ldr d1, [x1], #8
    smlal v16.4s, v1.4h, v0.h[0]
    smlal v17.4s, v1.4h, v0.h[5]
    subs x0, x0, #1
    b.ne 1b
    stp q16, q17, [x2]
    ret
