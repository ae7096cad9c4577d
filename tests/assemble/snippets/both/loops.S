.rept 3
    .byte 1
    .rept 2
    .byte 2
    .endr
.endr
.irp n, 1, 2 , 3
    .irpc c, ab
    .ascii "\n\c"
    .endr
.endr
.irp p
.ascii "<\p>"
.endr
.rept 2
.irp x,5,6
.byte \x
.endr
.endr
.set i, 0
.rept 5
    .byte i
    .set i, i + 1
.endr
.macro unroll n
    .rept \n
    .byte \n
    .endr
.endm
unroll 3
.rept 0
.error "not reached"
.endr
.irp reg, r1, "a b", c
.ascii "\reg;"
.endr
.rept 2; .byte 8; .endr
