ldreqb r0, [r1]
strneh r0, [r1, #2]
ldmeqfd sp!, {r4, pc}
addeqs r0, r0, #1
subnes r0, r0, r1, lsl #2
mulnes r0, r1, r2
movs r0, #1
LDREQB r0, [r1]
bls 1f
teqeq r0, #0
1: bxeq lr
nop
nopne
add r0, r1, r2, asl #3
mov r3, r4, ASL r5
ldr r0, [r1, r2, asl#2]
add r4, r10
sub r1, #4
.syntax unified
ldrbeq r0, [r1]
.syntax divided
ldreqb r0, [r1]
rsbles r2, r3, #1
