.syntax unified
.global start, table
.type helper, %function
.type start, %function
start:
    bl helper
    beq start
    blne start
    blx start
    b start
    adr r0, start
    ldr r1, =table
    ldr r2, =second + 8
    ldr r3, =local
    movw r4, #:lower16:table
    movt r4, #:upper16:table
    movw r5, #:lower16:(second - .)
    movt r5, #:upper16:second + 0x11
    movw r6, #:lower16:.Lhidden
    movt r6, #:upper16:.Lhidden
local:
    bx lr
    .word table - ., start - . + 4, local
.section .helper, "ax", %progbits
helper:
    b start
    bl local
    bl start + 8
.section .rodata
constant: .word 1, 2, 3
    .word start, constant + 4, helper
.data
table: .word 1
second: .word second, table + 4
.Lhidden: .word .Lhidden
