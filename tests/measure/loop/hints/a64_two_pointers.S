// One pointer stepped by a register, each time waiting for the step before.
// core: cortex-a53

    .text
    .global bad
bad:
    movi v16.4s, #0
    movi v17.4s, #0
    mov x3, #24
1:
    ld1 {v1.8b}, [x1], x3  // <-
    ld1 {v2.8b}, [x1], x3  // <-
    ld1 {v3.8b}, [x1], x3  // <-
    ld1 {v4.8b}, [x1], x3  // <-
    add v16.8b, v16.8b, v1.8b
    add v17.8b, v17.8b, v2.8b
    add v16.8b, v16.8b, v3.8b
    add v17.8b, v17.8b, v4.8b
    subs x0, x0, #1
    b.ne 1b
    stp q16, q17, [x2]
    ret

    .global mended
mended:
    movi v16.4s, #0
    movi v17.4s, #0
    mov x3, #48
    add x4, x1, #24
1:
    ld1 {v1.8b}, [x1], x3
    ld1 {v2.8b}, [x4], x3
    ld1 {v3.8b}, [x1], x3
    ld1 {v4.8b}, [x4], x3
    add v16.8b, v16.8b, v1.8b
    add v17.8b, v17.8b, v2.8b
    add v16.8b, v16.8b, v3.8b
    add v17.8b, v17.8b, v4.8b
    subs x0, x0, #1
    b.ne 1b
    stp q16, q17, [x2]
    ret
