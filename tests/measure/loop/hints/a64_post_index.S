// Pointers stepped by instructions of their own.
// core: cortex-a53

    .text
    .global bad
bad:
    mov x3, x2
    add x4, x1, #1024
1:
    ldr q1, [x1]
    ld1 {v2.16b}, [x4]
    add x1, x1, #16  // <-
    add x4, x4, #16  // <-
    eor v1.16b, v1.16b, v2.16b
    str q1, [x3]
    add x3, x3, #16  // <-
    subs x0, x0, #1
    b.ne 1b
    ret

    .global mended
mended:
    mov x3, x2
    add x4, x1, #1024
1:
    ldr q1, [x1], #16
    ld1 {v2.16b}, [x4], #16
    eor v1.16b, v1.16b, v2.16b
    str q1, [x3], #16
    subs x0, x0, #1
    b.ne 1b
    ret
