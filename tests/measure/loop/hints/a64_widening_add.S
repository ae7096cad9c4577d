// Values widened by an instruction of their own before they are added.
// core: cortex-a53

    .text
    .global bad
bad:
    ldr q0, [x1]
    movi v16.4s, #0
    movi v17.4s, #0
1:
    ldr q1, [x1], #16
    sxtl v2.8h, v1.8b  // <-
    uxtl2 v3.8h, v1.16b  // <-
    add v16.8h, v16.8h, v2.8h  // <-
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
    saddw v16.8h, v16.8h, v1.8b
    usubw2 v17.8h, v17.8h, v1.16b
    subs x0, x0, #1
    b.ne 1b
    stp q16, q17, [x2]
    ret
