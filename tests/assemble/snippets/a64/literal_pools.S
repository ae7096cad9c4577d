.text
nop
ldr x0, =0x123456789
ldr w0, =3
ldr x1, =3
ldr q0, =5
ldr d0, =5
ldr s0, =3
.ltorg
ldr x0, =8
ldr x0, =7 + 1
ldr x1, =ext + 1
ldr x1, =ext + 1
ldr w1, =ext + 1
ldr x2, =label
ldr x2, =label + 4
ldr x0, =0xffffffffffffffff
ldr x0, =-1
ldr w0, =-1
ldr w0, =0xffffffff
ldrsw x3, =9
a: nop
b: nop
ldr x0, =(b - a)
ldr x0, =later
.set later, 8
ldr x0, =later
label: nop
.pool
.byte 1
.section .text.cold, "ax"
ldr x0, =9
nop
.text
nop
ldr x5, =0x1000
