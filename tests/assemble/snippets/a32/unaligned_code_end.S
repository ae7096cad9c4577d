.syntax unified
nop
.byte 1
