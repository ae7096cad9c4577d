.byte 1
.balign 4
nop
.byte 1
.balign 8
nop
.byte 2
.p2align 4,,3
.p2align 4,,20
nop
.align 5,0xcc
.byte 3
.p2align 2
nop
.balign 16
.word 9
.balign 16, 0
.hword 1
.balignw 8, 0x1234
.word 1
.p2alignl 4, 0x01020304
.p2align 0
.balign 1
nop
.p2align 6
.data
.byte 1
.balign 8
.byte 2
.p2align 4, 0xff
.byte 3
.text
.org . + 12
nop
.org 0x200, 0
nop
