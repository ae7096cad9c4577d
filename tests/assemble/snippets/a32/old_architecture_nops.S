.arch armv5te
mov r0, r0
nop
.align 4
mov r0, r0
.align 4
