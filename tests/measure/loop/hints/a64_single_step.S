// One pointer stepped again and again, each time waiting for the step before.
// core: cortex-a53

    .text
    .global bad
bad:
    mov x3, #0
    mov x4, #0
1:
    ldr x5, [x1], #8  // <-
    ldr x6, [x1], #8  // <-
    ldr x7, [x1], #8  // <-
    ldr x9, [x1], #8  // <-
    add x3, x3, x5
    add x4, x4, x6
    add x3, x3, x7
    add x4, x4, x9
    subs x0, x0, #1
    b.ne 1b
    stp x3, x4, [x2]
    ret

    .global mended
mended:
    mov x3, #0
    mov x4, #0
1:
    ldr x5, [x1]
    ldr x6, [x1, #8]
    ldr x7, [x1, #16]
    ldr x9, [x1, #24]
    add x1, x1, #32
    add x3, x3, x5
    add x4, x4, x6
    add x3, x3, x7
    add x4, x4, x9
    subs x0, x0, #1
    b.ne 1b
    stp x3, x4, [x2]
    ret
