// Neighbours in memory loaded one by one.
// core: cortex-a53

    .text
    .global bad
bad:
    mov w7, #0
    mov w8, #0
    mov w9, #0
    mov w10, #0
1:
    ldr w3, [x1]  // <-
    ldr w4, [x1, #4]  // <-
    ldr w5, [x1, #8]  // <-
    ldr w6, [x1, #12]  // <-
    add x1, x1, #16
    add w7, w7, w3
    add w8, w8, w4
    add w9, w9, w5
    add w10, w10, w6
    subs x0, x0, #1
    b.ne 1b
    stp w7, w8, [x2]
    stp w9, w10, [x2, #8]
    ret

    .global mended
mended:
    mov w7, #0
    mov w8, #0
    mov w9, #0
    mov w10, #0
1:
    ldp w3, w4, [x1]
    ldp w5, w6, [x1, #8]
    add x1, x1, #16
    add w7, w7, w3
    add w8, w8, w4
    add w9, w9, w5
    add w10, w10, w6
    subs x0, x0, #1
    b.ne 1b
    stp w7, w8, [x2]
    stp w9, w10, [x2, #8]
    ret
