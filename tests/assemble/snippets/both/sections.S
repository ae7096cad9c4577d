.text
nop
.section .rodata
.byte 1
.previous
nop
.pushsection .rodata
.byte 2
.pushsection .data
.word 3
.popsection
.byte 4
.popsection
nop
.data
.byte 5
.text 1
.balign 4
nop
.text 0
nop
.subsection 2
.word 6
.subsection 0
nop
.section .rodata.cst16,"aM",%progbits,16
.quad 1, 2
.section .rodata,"a"
.byte 7
.bss
.space 64
buffer: .space 4
.text
.word 8
.section .note.GNU-stack,"",%progbits
.section .text.other, "ax", %progbits
nop
.previous
.text
nop
.comm shared, 16, 8
.lcomm own, 8
