.syntax unified
.arm
.global g
.type f, %function
g:
f:
b g
bl g
b f
bl f
beq g
l: bl l
b l
b ext
bl ext
beq ext
bleq ext
b ext + 8
b l + 8
bls 1f
blt 1f
adr r0, g
adr r0, f
adreq r1, 1f
ldr r0, g
ldr r0, f
ldrb r0, f
ldrh r0, l
ldrd r0, r1, l
ldrsb r4, 1f
vldr d0, g
vldr s1, 1f
pld [r0]
blx ext
blx r3
bx lr
bxne r4
.section .text.two, "ax"
l2: b l
bl f
.text
bl l2
b l2
.weak w
w: b w
adrl r0, l
adrl r0, l + 0x10000
adrl r0, 1f
ldr r0, . + 8
ldr r0, . + 16
1: nop
add r0, r0, #(l3 - l)
l3: sub r0, pc, #l3 - l
mov r0, #l3 - l
add r0, pc, #l3 - l - 8
ldr r0, [pc, #l3 - . - 8]
.word l3 - .
