.syntax unified
.text
nop
ldr r0, =5
ldr r0, =0x12345678
ldr r1, =-1
ldr r1, =0x1234
ldreq r1, =-1
ldrne r2, =0x12345
ldr r0, =0xff000000
ldr r0, =0xff00ff
ldr r2, =ext
ldr r2, =ext
ldr r2, =ext + 4
ldr r3, =label
ldr r3, =label - 4
ldr r3, =g
ldrb r1, =5
ldrh r0, =0x23456
ldrsh r0, =7
ldr r0, =0x12345678
ldr r0, =later
.set later, 5
ldr r0, =later
ldr pc, =0x123456
vldr d0, =0x12345678abcdef
vldr s0, =0x12345
vldr d1, =0x12345678abcdef
vldr d2, =0
vldr d3, =0xff00ff0000ff00ff
ldr r4, =0xabcdef01
.global g
g:
label: nop
.ltorg
ldr r0, =0x12345678
.ltorg
vldr s0, =0x12345
.pool
ldrh r1, =0x77777
.byte 1
.ltorg
.section .text.cold, "ax"
ldr r0, =0x9999
.text
vldr d5, =0x1122334455667788
ldr r1, =0x55667788
