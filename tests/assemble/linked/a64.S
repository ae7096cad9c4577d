.global start, table, far
start:
    bl helper
    b.eq start
    b start
    cbz x0, start
    tbz x1, #3, start
    adr x0, start
    adrp x1, table
    add x1, x1, :lo12:table
    ldr x2, [x1, :lo12:second]
    ldr w2, [x1, :lo12:second]
    ldrh w2, [x1, :lo12:second]
    ldrb w2, [x1, :lo12:table + 3]
    ldr q2, [x1, :lo12:quad]
    ldr x3, start
    ldr x4, =second + 8
    ldr w5, =start
    movz x6, #:abs_g1:table
    movk x6, #:abs_g0_nc:table
    adrp x7, constant + 4
    add x7, x7, #:lo12:constant + 4
    ret
    .word table - ., start - . + 4
.section .helper, "ax", %progbits
helper:
    b start
    bl start + 8
    adr x0, table
.section .rodata
constant: .word 1, 2, 3
    .balign 8
    .xword start, constant + 4
.data
table: .word 1
    .balign 8
second: .xword second
    .hword 0
    .balign 16
quad: .quad 1, table
