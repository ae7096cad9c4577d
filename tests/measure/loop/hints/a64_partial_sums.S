// Sums that go to memory and back for every product.
// core: cortex-a53

    .text
    .global bad
bad:
    mov x7, #4
    mov x6, x1
    movi v16.16b, #0
    stp q16, q16, [x2]
    stp q16, q16, [x2, #32]
    mov x0, #4
3:
    mov x3, x2
    mov x0, #4
1:
    ldr q2, [x3]  // <-
    ldr q1, [x6], #16
    add v2.16b, v2.16b, v1.16b
    str q2, [x3], #16  // <-
    subs x0, x0, #1
    b.ne 1b
    subs x7, x7, #1
    b.ne 3b
    ret

    .global mended
mended:
    mov x0, #4
3:
    movi v2.16b, #0
    mov x3, x1
    mov x7, #4
1:
    ldr q1, [x3], #64
    add v2.16b, v2.16b, v1.16b
    subs x7, x7, #1
    b.ne 1b
    str q2, [x2], #16
    add x1, x1, #16
    subs x0, x0, #1
    b.ne 3b
    ret
