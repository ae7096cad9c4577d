.text
.global g
.type f, %function
nop
g: nop
f: nop
l: nop
.word g, f, l, l + 4, away + 8, away - .
.word . - l, l - g, away - l + 4
.set same, l + 4
.word same
.data
.word l, l + 8
.balign 8
d: .word d, . - d
.text
.word d, d + 4
1: .word 1b
