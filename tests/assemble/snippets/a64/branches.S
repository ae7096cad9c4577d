.global g
.type f, %function
g:
f:
b g
bl g
b f
bl f
b.eq g
l: bl l
b l
b ext
bl ext
beq ext
b ext+8
b l+8
b . + 8
adr x0, g
adr x0, f
adr x0, ext
adr x0, . + 12
ldr x0, g
ldr x0, f
ldr q1, f
ldrsw x3, f
prfm pldl1keep, f
ldr w2, ext
cbz x0, g
cbnz w1, f
tbz x0, #3, g
tbz x0, #3, l
tbnz w5, 31, l
bne 1f
BHS 1f
.weak w
w: b w
adr x0, w
1: ret
br x3
blr x4
ret x5
.section .text.two, "ax"
l2: b l
bl f
b l2
.text
bl l2
b l2
