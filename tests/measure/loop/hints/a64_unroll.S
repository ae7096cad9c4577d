// A short loop that counts and branches as much as it works.
// core: cortex-a72

    .text
    .global bad
bad:
1:
    ldr x3, [x1], #8
    str x3, [x2], #8
    subs x0, x0, #1  // <-
    b.ne 1b  // <-
    ret

    .global mended
mended:
1:
    ldr x3, [x1], #8
    str x3, [x2], #8
    ldr x4, [x1], #8
    str x4, [x2], #8
    ldr x3, [x1], #8
    str x3, [x2], #8
    ldr x4, [x1], #8
    str x4, [x2], #8
    ldr x3, [x1], #8
    str x3, [x2], #8
    ldr x4, [x1], #8
    str x4, [x2], #8
    ldr x3, [x1], #8
    str x3, [x2], #8
    ldr x4, [x1], #8
    str x4, [x2], #8
    subs x0, x0, #8
    b.ne 1b
    ret
