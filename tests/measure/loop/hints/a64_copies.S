// Copies of what stays as it is.
// core: cortex-a53

    .text
    .global bad
bad:
    ldr q0, [x1]
    movi v16.4s, #0
    movi v17.4s, #0
    movi v18.4s, #0
1:
    ldr q1, [x1], #16
    mov v2.16b, v1.16b  // <-
    mov v3.16b, v1.16b  // <-
    add v16.16b, v16.16b, v2.16b
    add v17.16b, v17.16b, v3.16b
    eor v18.16b, v18.16b, v1.16b
    subs x0, x0, #1
    b.ne 1b
    stp q16, q17, [x2]
    str q18, [x2, #32]
    ret

    .global mended
mended:
    ldr q0, [x1]
    movi v16.4s, #0
    movi v17.4s, #0
    movi v18.4s, #0
1:
    ldr q1, [x1], #16
    add v16.16b, v16.16b, v1.16b
    add v17.16b, v17.16b, v1.16b
    eor v18.16b, v18.16b, v1.16b
    subs x0, x0, #1
    b.ne 1b
    stp q16, q17, [x2]
    str q18, [x2, #32]
    ret
